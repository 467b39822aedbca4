//! Sum of a slice, where one warp does the last steps without a barrier of the block.
//!
//! Launch: 1-D grid of 1-D blocks of whole warps, with at least one thread for each 8 elements;
//! `reduce_complete_unroll_N` has blocks of N threads. Works in place: block b sums its part of
//! `data`, 8 times `block_dim_x` elements, and writes the sum to `sums[b]`. `data` is overwritten.
//! Any length will do; a part past the end sums to zero.
//! Shows: with 64 elements left, only lanes of one warp have work. They exchange their sums by
//! shuffles, which cost less than a barrier of the block. Each unrolled step also saves the loop's
//! own instructions. If the block's size is known at compile time, steps without work are removed.
//! Older code adds in memory, and relies on lanes of a warp running in lockstep and on `volatile`.
//! Since Volta lanes run independently: without `sync_warp`, one may read what another has not
//! stored yet, and `volatile` does not make it wait.
//! Source: Professional CUDA C Programming, chapter 3; CUDA C++ Programming Guide, "Independent
//! Thread Scheduling".

use lanewise_macros::kernel;
use lanewise_std::collective::Sum;
use lanewise_std::part_per_block::WarpLast;
use lanewise_std::unroll::unroll;
use lanewise_std::{PartPerBlock, PerBlock};

/// A block's part of the data, of which each thread first adds 8 elements by itself.
type Part<'a> = PartPerBlock<'a, i32, WarpLast, 8>;

/// A loop of steps for the block, then six steps for its first warp.
#[kernel]
#[launch_contract(dims = 1, whole_warps)]
pub fn reduce_unroll_warps8(data: Part, sums: PerBlock<i32>) {
    let mut part = data.begin(Sum);
    while part.has_step() {
        part.step();
    }
    write_total(part.finish(0), sums);
}

/// All steps are unrolled, and the kernel decides at run time which of them it needs.
#[kernel]
#[launch_contract(dims = 1, whole_warps)]
pub fn reduce_complete_unroll_warps8(data: Part, sums: PerBlock<i32>) {
    complete_unroll(data, sums);
}

/// All steps are unrolled, and the compiler decides which of them the kernel needs.
#[kernel(instances(1024, 512, 256, 128, 64))]
#[launch_contract(dims = 1, block = (BLOCK))]
pub fn reduce_complete_unroll<const BLOCK: u32>(data: Part, sums: PerBlock<i32>) {
    complete_unroll(data, sums);
}

/// Reduces without a loop: a block of 1024 threads has four steps before those of its first warp.
#[inline(always)]
fn complete_unroll(data: Part, sums: PerBlock<i32>) {
    let mut part = data.begin(Sum);
    unroll::<4>(|_| part.step());
    write_total(part.finish(0), sums);
}

/// Writes the block's sum, which its first thread has.
#[inline(always)]
fn write_total(total: Option<i32>, mut sums: PerBlock<i32>) {
    if let Some(total) = total
        && let Some(sum) = sums.get_mut()
    {
        *sum = total;
    }
}
