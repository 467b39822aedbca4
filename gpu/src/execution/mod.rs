//! How threads run: warps and their branches, barriers, reductions step by step.

pub mod divergence;
pub mod grid_shape;
pub mod nested_hello;
pub mod nested_reduce;
pub mod occupancy;
pub mod reduce_interleaved;
pub mod reduce_neighbored;
pub mod reduce_unroll_warps;
pub mod reduce_unrolled;

use lanewise_std::GlobalMut;
use lanewise_std::thread::{block_idx_x, thread_idx_x};

/// Ends a reduction in place: thread 0 writes the block's sum, which is the element at `start`.
///
/// A block whose part is past the end of the data has no elements, and its sum is zero.
///
/// # Safety
/// The launch is 1-D, and a barrier is between the last store to the block's part
/// and this call.
#[inline]
unsafe fn write_sum(data: GlobalMut<i32>, start: usize, sums: GlobalMut<i32>) {
    let block = block_idx_x() as usize;
    if thread_idx_x() == 0 && block < sums.len() {
        let sum = if start < data.len() {
            // SAFETY: in bounds, and no thread stores to the part any more.
            unsafe { data.get_unchecked(start) }
        } else {
            0
        };
        // SAFETY: in bounds, and only this thread writes the block's sum.
        unsafe { sums.set_unchecked(block, sum) };
    }
}
