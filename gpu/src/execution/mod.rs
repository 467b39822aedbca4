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

use lanewise_std::{GlobalMut, PerBlock};

/// Ends a reduction in place: thread 0 writes the block's sum, which is the element at `start`.
///
/// A block whose part is past the end of the data has no elements, and its sum is zero.
///
/// # Safety
/// A barrier is between the last store to the block's part and this call.
#[inline]
unsafe fn write_sum(data: GlobalMut<i32>, start: usize, mut sums: PerBlock<i32>) {
    if let Some(sum) = sums.get_mut() {
        *sum = if start < data.len() {
            // SAFETY: in bounds, and no thread stores to the part any more.
            unsafe { data.get_unchecked(start) }
        } else {
            0
        };
    }
}
