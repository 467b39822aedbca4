//! Sum of a slice, where each thread first adds several elements by itself.
//!
//! Launch: 1-D grid of 1-D blocks of any size, with at least one thread for each 2, 4 or 8
//! elements. Works in place: block b sums its part of `data`, 2, 4 or 8 times `block_dim_x`
//! elements, and writes the sum to `sums[b]`. `data` is overwritten. Any length will do; a part
//! past the end sums to zero.
//! Shows: a thread's loads do not depend on each other, so 2, 4 or 8 are in flight at a time, which
//! hides the latency of memory. Blocks and stores decrease by the same factor.
//! Source: Professional CUDA C Programming, chapter 3.

use lanewise_macros::kernel;
use lanewise_std::collective::Sum;
use lanewise_std::part_per_block::Halves;
use lanewise_std::{PartPerBlock, PerBlock};

use super::write_sum;

/// Two elements per thread.
#[kernel]
#[launch_contract(dims = 1)]
pub fn reduce_unrolling2(data: PartPerBlock<i32, Halves, 2>, sums: PerBlock<i32>) {
    reduce_unrolling(data, sums);
}

/// Four elements per thread.
#[kernel]
#[launch_contract(dims = 1)]
pub fn reduce_unrolling4(data: PartPerBlock<i32, Halves, 4>, sums: PerBlock<i32>) {
    reduce_unrolling(data, sums);
}

/// Eight elements per thread.
#[kernel]
#[launch_contract(dims = 1)]
pub fn reduce_unrolling8(data: PartPerBlock<i32, Halves, 8>, sums: PerBlock<i32>) {
    reduce_unrolling(data, sums);
}

/// Adds `UNROLL` elements per thread, a block apart; then continues as `reduce_interleaved`.
#[inline]
fn reduce_unrolling<const UNROLL: usize>(
    data: PartPerBlock<i32, Halves, UNROLL>,
    sums: PerBlock<i32>,
) {
    let mut part = data.begin(Sum);
    while part.has_step() {
        part.step();
    }
    write_sum(&part, sums);
}
