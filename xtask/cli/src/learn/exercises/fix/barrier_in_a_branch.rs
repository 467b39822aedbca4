//! Move the barrier out of the branch.
//!
//! A barrier of the block waits for all of its threads. Here only the threads that have an element
//! reach it. The others never come.
//!
//! Read: bugs/deadlock
//@ hint: Which part of the branch does a thread without an element have to take part in?
//@ hint: The threads past the end put 0 into the line, and then all threads meet at the barrier.
//@ fails: the threads of a warp reach a barrier separately

use lanewise_macros::{kernel, shared};
use lanewise_std::{DisjointSlice, thread};

/// `output[i] = input[63 - i]`, and 0 for what lies past the end. Launch: one block of 64 threads.
#[kernel]
pub fn reverse_short(input: &[u32], mut output: DisjointSlice<u32>) {
    shared! { static LINE: [u32; 64]; }
    let i = thread::thread_idx_x() as usize;
    //@ start
    // SAFETY: each thread writes a cell of its own, before the barrier.
    unsafe { LINE.set(i, 0) };
    if i < input.len() {
        // SAFETY: as above.
        unsafe { LINE.set(i, input[i]) };
        thread::sync_threads();
    }
    //@ solution
    // SAFETY: each thread writes a cell of its own, before the barrier.
    unsafe { LINE.set(i, input.get(i).copied().unwrap_or(0)) };
    thread::sync_threads();
    //@ end
    if let Some(output) = output.get_mut(&thread::index_1d()) {
        // SAFETY: the cell was written before the barrier.
        *output = unsafe { LINE.get(63 - i) };
    }
}

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn all_threads_reach_the_barrier() {
        let input = numbers(50);
        let (found, _) = run(|device, stream| {
            let x = DeviceBuffer::from_slice(device, &input)?;
            let mut y = DeviceBuffer::zeroed(device, 64)?;
            stream.launch(reverse_short, LaunchConfig::new(1, 64), (&x, &mut y))?;
            Ok(y.to_vec()?)
        });
        equal(&found, &Vec::from_iter((0..64).map(|i| input.get(63 - i).copied().unwrap_or(0))));
    }
}
