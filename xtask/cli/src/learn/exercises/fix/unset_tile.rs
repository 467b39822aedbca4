//! Set all of the tile.
//!
//! The input has fewer elements than the tile. The cells that no thread sets hold whatever was in
//! shared memory before: perhaps zeros today, and the numbers of another kernel tomorrow. The check
//! for uninitialised memory shows which cell was read.
//!
//! Read: bugs/uninitialised_tile
//@ hint: Every thread has a cell. What should be in it if there is no element?
//@ hint: `LINE.set(t, input.get(t).copied().unwrap_or(0))`
//@ fails: a stored value was computed from uninitialised memory

use lanewise_macros::{kernel, shared};
use lanewise_std::{PerBlock, thread};

/// Sums up to 64 elements. Launch: one block of 64 threads.
#[kernel]
pub fn sum_of_tile(input: &[u32], mut sum: PerBlock<u32>) {
    shared! { static LINE: [u32; 64]; }
    let t = thread::thread_idx_x() as usize;
    //@ start
    if t < input.len() {
        // SAFETY: each thread writes a cell of its own, before the barrier.
        unsafe { LINE.set(t, input[t]) };
    }
    //@ solution
    // SAFETY: each thread writes a cell of its own, before the barrier.
    unsafe { LINE.set(t, input.get(t).copied().unwrap_or(0)) };
    //@ end
    thread::sync_threads();
    if let Some(sum) = sum.get_mut() {
        // SAFETY: the cells were written before the barrier.
        *sum = (0..64).map(|i| unsafe { LINE.get(i) }).sum();
    }
}

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn every_cell_is_set() {
        let input = numbers(50);
        let (found, _) = run(|device, stream| {
            let x = DeviceBuffer::from_slice(device, &input)?;
            let mut y = DeviceBuffer::zeroed(device, 1)?;
            stream.launch(sum_of_tile, LaunchConfig::new(1, 64), (&x, &mut y))?;
            Ok(y.to_vec()?)
        });
        equal(&found, &[input.iter().sum::<u32>()]);
    }
}
