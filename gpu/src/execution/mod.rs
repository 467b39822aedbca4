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

use lanewise_std::PerBlock;
use lanewise_std::collective::Operator;
use lanewise_std::part_per_block::{Access, Order, Steps};

/// Ends a reduction in place: thread 0 writes the block's sum, which is zero for a block whose part
/// is past the end of the data.
#[inline]
pub(crate) fn write_sum<O: Order, P: Operator<i32>, A: Access<i32>>(
    part: &Steps<i32, O, P, A>,
    mut sums: PerBlock<i32>,
) {
    if let Some(sum) = sums.get_mut() {
        *sum = part.first().unwrap_or(0);
    }
}
