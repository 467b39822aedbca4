//! Let each thread write its number.
//!
//! A kernel runs once in each thread of a grid. The grid consists of blocks, and a thread knows its
//! place in the block, the block's place in the grid, and how large blocks are. Write the number of
//! the thread in the whole grid into its element. The check launches several blocks.
//!
//! Read: basics/thread_index
//@ hint: The start has each block count from 0. How many threads are in the blocks before this one?
//@ hint: `thread::block_idx_x() * thread::block_dim_x()` is their number.
//@ fails: element 32 of 96: expected 32, found 0

use lanewise_macros::kernel;
use lanewise_std::{DisjointSlice, thread};

/// `output[i] = i`, for thread `i` of the grid.
#[kernel]
pub fn number(mut output: DisjointSlice<u32>) {
    if let Some(output) = output.get_mut(&thread::index_1d()) {
        //@ start
        *output = thread::thread_idx_x();
        //@ solution
        *output = thread::block_idx_x() * thread::block_dim_x() + thread::thread_idx_x();
        //@ end
    }
}

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn threads_of_all_blocks_have_numbers_of_their_own() {
        let (found, _) = run(|device, stream| {
            let mut output = DeviceBuffer::zeroed(device, 96)?;
            stream.launch(number, LaunchConfig::new(3, 32), (&mut output,))?;
            Ok(output.to_vec()?)
        });
        equal(&found, &Vec::from_iter(0..96));
    }
}
