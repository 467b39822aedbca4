//! Wait before the next tile comes.
//!
//! The block walks over the input in tiles of 64. In each step a thread puts one element into
//! shared memory, and after a barrier adds the opposite one. In the next step a fast warp already
//! writes the next tile while a slow one still reads this one.
//!
//! Read: bugs/missing_barrier
//@ hint: There are two things to wait for: that the tile is written, and that it has been read.
//@ hint: Put `thread::sync_threads()` at the end of the loop too.
//@ fails: race: a write
//@ fails: of shared memory that nothing orders

use lanewise_macros::{kernel, shared};
use lanewise_std::{DisjointSlice, thread};

/// Sums, for each thread, the opposite elements of all tiles. Launch: one block of 64 threads.
#[kernel]
pub fn opposite_sums(input: &[u32], mut output: DisjointSlice<u32>) {
    shared! { static TILE: [u32; 64]; }
    let t = thread::thread_idx_x() as usize;
    let mut sum = 0;
    for tile in input.chunks_exact(64) {
        // SAFETY: each thread writes a cell of its own, and reads another after the barrier.
        unsafe { TILE.set(t, tile[t]) };
        thread::sync_threads();
        // SAFETY: the cell was written before the barrier.
        sum += unsafe { TILE.get(63 - t) };
        //@ solution
        thread::sync_threads();
        //@ end
    }
    if let Some(output) = output.get_mut(&thread::index_1d()) {
        *output = sum;
    }
}

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn tiles_are_read_before_they_change() {
        let input = numbers(256);
        let (found, _) = run(|device, stream| {
            let x = DeviceBuffer::from_slice(device, &input)?;
            let mut y = DeviceBuffer::zeroed(device, 64)?;
            stream.launch(opposite_sums, LaunchConfig::new(1, 64), (&x, &mut y))?;
            Ok(y.to_vec()?)
        });
        equal(
            &found,
            &Vec::from_iter((0..64).map(|t| (0..4).map(|k| input[k * 64 + 63 - t]).sum())),
        );
    }
}
