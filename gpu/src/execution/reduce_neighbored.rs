//! Sum of a slice, pairs of neighbours first.
//!
//! Launch: 1-D grid of at least one thread for each element, in 1-D blocks of any size. Works in
//! place: block b sums its part of `data`, `block_dim_x` elements, and writes the sum to `sums[b]`.
//! `data` is overwritten. Any length will do; a part past the end sums to zero.
//! Shows: which thread adds which elements decides how many warps have work. Both kernels add the
//! same pairs. In the first, the threads that add are in all warps, and each warp runs its few. In
//! the second they fill the first warps, and the others skip the step together.
//! Source: Professional CUDA C Programming, chapter 3.

use lanewise_macros::kernel;
use lanewise_std::collective::Sum;
use lanewise_std::part_per_block::{Pairs, SparsePairs};
use lanewise_std::{PartPerBlock, PerBlock};

use super::write_sum;

/// Every second thread adds, then every fourth, then every eighth ...
#[kernel]
#[launch_contract(dims = 1)]
pub fn reduce_neighbored(data: PartPerBlock<i32, SparsePairs>, sums: PerBlock<i32>) {
    let mut part = data.begin(Sum);
    while part.has_step() {
        part.step();
    }
    write_sum(&part, sums);
}

/// The first half of the threads adds, then the first quarter, then the first eighth ...:
/// the same pairs.
#[kernel]
#[launch_contract(dims = 1)]
pub fn reduce_neighbored_less(data: PartPerBlock<i32, Pairs>, sums: PerBlock<i32>) {
    let mut part = data.begin(Sum);
    while part.has_step() {
        part.step();
    }
    write_sum(&part, sums);
}
