//! Leave room for the halo.
//!
//! Each thread adds the cell after its own, so the line needs one cell more than there are threads.
//! The accesses are unchecked, for speed. On a GPU the read past the line finds some other array,
//! or nothing at all, and goes unnoticed. Mend the line, and set the cell after the last.
//!
//! Read: bugs/out_of_bounds
//@ hint: The line needs 65 cells.
//@ hint: One thread has two cells to set: the last cell is 0.
//@ fails: outside of shared memory

use lanewise_macros::{kernel, shared};
use lanewise_std::{DisjointSlice, thread};

/// `output[i] = input[i] + input[i + 1]`, of 64 elements. Launch: one block of 64 threads.
#[kernel]
pub fn add_next(input: &[u32], mut output: DisjointSlice<u32>) {
    //@ start
    shared! { static LINE: [u32; 64]; }
    //@ solution
    shared! { static LINE: [u32; 65]; }
    //@ end
    let t = thread::thread_idx_x() as usize;
    // SAFETY: a cell of the thread's own, before the barrier.
    unsafe { LINE.set(t, input[t]) };
    //@ solution
    if t == 0 {
        // SAFETY: only this thread writes the cell.
        unsafe { LINE.set(64, 0) };
    }
    //@ end
    thread::sync_threads();
    if let Some(output) = output.get_mut(&thread::index_1d()) {
        // SAFETY: both cells are in the line, and were written before the barrier.
        *output = unsafe { LINE.get_unchecked(t) + LINE.get_unchecked(t + 1) };
    }
}

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn the_line_is_long_enough() {
        let input = numbers(64);
        let (found, _) = run(|device, stream| {
            let x = DeviceBuffer::from_slice(device, &input)?;
            let mut y = DeviceBuffer::zeroed(device, 64)?;
            stream.launch(add_next, LaunchConfig::new(1, 64), (&x, &mut y))?;
            Ok(y.to_vec()?)
        });
        equal(
            &found,
            &Vec::from_iter((0..64).map(|i| input[i] + input.get(i + 1).copied().unwrap_or(0))),
        );
    }
}
