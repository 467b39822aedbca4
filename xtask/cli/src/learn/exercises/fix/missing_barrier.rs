//! Reverse a block's elements, without the race.
//!
//! Each thread puts its element into shared memory, then reads the element of another thread. Warps
//! of a block run in any order, and nothing makes a warp wait for the one that writes what it
//! reads. The check for races names both accesses.
//!
//! Read: bugs/missing_barrier
//@ hint: All threads of the block must have written before one of them reads.
//@ hint: `thread::sync_threads()` is the barrier of the block.
//@ fails: race: a write and a read of shared memory that nothing orders

use lanewise_macros::{kernel, shared};
use lanewise_std::{DisjointSlice, thread};

/// Reverses 64 elements. Launch: one block of 64 threads.
#[kernel]
pub fn reverse(input: &[u32], mut output: DisjointSlice<u32>) {
    shared! { static LINE: [u32; 64]; }
    let i = thread::thread_idx_x() as usize;
    // SAFETY: each thread writes a cell of its own.
    unsafe { LINE.set(i, input[i]) };
    //@ solution
    thread::sync_threads();
    //@ end
    if let Some(output) = output.get_mut(&thread::index_1d()) {
        // SAFETY: the cell was written before.
        *output = unsafe { LINE.get(63 - i) };
    }
}

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn it_reverses_without_a_race() {
        let input = numbers(64);
        let (mut output, _) = run(|device, stream| {
            let x = DeviceBuffer::from_slice(device, &input)?;
            let mut y = DeviceBuffer::zeroed(device, 64)?;
            stream.launch(reverse, LaunchConfig::new(1, 64), (&x, &mut y))?;
            Ok(y.to_vec()?)
        });
        output.reverse();
        equal(&output, &input);
    }
}
