//! Sum of a slice, where each step adds one half of a part to the other.
//!
//! Launch: 1-D grid of at least one thread for each element, in 1-D blocks of any size. Works in
//! place: block b sums its part of `data`, `block_dim_x` elements, and writes the sum to `sums[b]`.
//! `data` is overwritten. Any length will do; a part past the end sums to zero.
//! Shows: neighbouring threads add neighbouring elements in every step, so a warp's loads need few
//! sectors. Those of `reduce_neighbored` need more with each step. The threads that add are the
//! same as in `_less`.
//! Source: Professional CUDA C Programming, chapter 3.

use lanewise_macros::kernel;
use lanewise_std::collective::Sum;
use lanewise_std::part_per_block::Halves;
use lanewise_std::{PartPerBlock, PerBlock};

use super::write_sum;

/// The first half of the threads adds the second half of the elements to the first half. Then half
/// of them do ...
#[kernel]
#[launch_contract(dims = 1)]
pub fn reduce_interleaved(data: PartPerBlock<i32, Halves>, sums: PerBlock<i32>) {
    let mut part = data.begin(Sum);
    while part.has_step() {
        part.step();
    }
    write_sum(&part, sums);
}
