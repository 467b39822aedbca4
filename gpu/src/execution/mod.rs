//! How threads run: warps and their branches, barriers, reductions step by step.

pub mod divergence;
pub mod grid_shape;
pub mod reduce_interleaved;
pub mod reduce_neighbored;
pub mod reduce_unroll_warps;
pub mod reduce_unrolled;

use gpu_std::GlobalMut;
use gpu_std::thread::{block_idx_x, thread_idx_x};

/// The end of a reduction in place: thread 0 writes the block's sum, which is the first element of its part.
///
/// A part that lies past the end of the data has no elements and sums to zero.
///
/// # Safety
/// The launch is 1-D, and a barrier lies between the last store to `part` and here.
#[inline]
unsafe fn write_sum(part: GlobalMut<i32>, sums: GlobalMut<i32>) {
    let block = block_idx_x() as usize;
    if thread_idx_x() == 0 && block < sums.len() {
        // SAFETY: nobody stores to the part any more, and this thread alone writes the block's sum.
        unsafe { sums.set(block, if part.is_empty() { 0 } else { part.get(0) }) };
    }
}
