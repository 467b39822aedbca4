//! Sum of a slice, where one warp does the last steps without a barrier of the block.
//!
//! Launch: 1-D grid of 1-D blocks of whole warps, with at least one thread for each 8 elements;
//! `reduce_complete_unroll_N` has blocks of N threads. Works in place: block b sums its part of
//! `data`, 8 times `block_dim_x` elements, and writes the sum to `sums[b]`. `data` is overwritten.
//! Any length will do; a part past the end sums to zero.
//! Shows: with 64 elements left, only lanes of one warp have work. They wait for each other by
//! `sync_warp`, which costs a few cycles and less than a barrier of the block. Each unrolled step
//! also saves the loop's own instructions. If the block's size is known at compile time, steps
//! without work are removed. Older code relies on lanes of a warp running in lockstep and on
//! `volatile`. Since Volta lanes run independently: without `sync_warp`, one may read what another
//! has not stored yet, and `volatile` does not make it wait.
//! Source: Professional CUDA C Programming, chapter 3; CUDA C++ Programming Guide, "Independent
//! Thread Scheduling".

use lanewise_macros::kernel;
use lanewise_std::thread::{block_dim_x, block_idx_x, sync_threads, thread_idx_x};
use lanewise_std::warp::{FULL_MASK, WARP_SIZE, sync_warp};
use lanewise_std::{GlobalMut, PerBlock};

use super::reduce_unrolled::add_columns;

/// The number of elements that a thread first adds by itself.
const UNROLL: usize = 8;

/// A loop of steps for the block, then six steps for its first warp.
#[kernel]
#[launch_contract(dims = 1, whole_warps)]
pub fn reduce_unroll_warps8(data: GlobalMut<i32>, sums: PerBlock<i32>) {
    // SAFETY: the launch is 1-D, so no other block has this part, and all threads of this block are
    // here. A barrier ends each step. At most 64 sums are left for the warp.
    unsafe {
        let part = part_of_sums(data);
        let mut stride = block_dim_x().next_power_of_two() / 2;
        while stride > WARP_SIZE {
            add_at(part, stride);
            sync_threads(); // the next step adds what other threads stored in this one
            stride /= 2;
        }
        add_in_warp(part, sums);
    }
}

/// All steps are unrolled, and the kernel decides at run time which of them it needs.
#[kernel]
#[launch_contract(dims = 1, whole_warps)]
pub fn reduce_complete_unroll_warps8(data: GlobalMut<i32>, sums: PerBlock<i32>) {
    complete_unroll(data, sums, block_dim_x());
}

/// All steps are unrolled, and the compiler decides which of them the kernel needs.
#[kernel(instances(1024, 512, 256, 128, 64))]
#[launch_contract(dims = 1, block = (BLOCK))]
pub fn reduce_complete_unroll<const BLOCK: u32>(data: GlobalMut<i32>, sums: PerBlock<i32>) {
    complete_unroll(data, sums, BLOCK);
}

/// Reduces without a loop, for blocks of `threads`.
#[inline(always)]
fn complete_unroll(data: GlobalMut<i32>, sums: PerBlock<i32>, threads: u32) {
    // SAFETY: as in `reduce_unroll_warps8`.
    unsafe {
        let part = part_of_sums(data);
        for stride in [512, 256, 128, 64] {
            // This is the same for all threads of the block, so all reach the barrier, or none.
            if threads > stride {
                add_at(part, stride);
                sync_threads(); // the next step adds what other threads stored in this one
            }
        }
        add_in_warp(part, sums);
    }
}

/// Adds the elements of each thread, and returns their sums in this block's part of the data.
///
/// # Safety
/// As for [`add_columns`].
#[inline(always)]
unsafe fn part_of_sums(data: GlobalMut<i32>) -> GlobalMut<i32> {
    let start = block_idx_x() as usize * block_dim_x() as usize * UNROLL;
    // SAFETY: the caller promises the same.
    let live = unsafe { add_columns::<UNROLL>(data, start) };
    data.part(start, live)
}

/// Does one step: the first `stride` threads add the element at that distance, if there is one.
///
/// # Safety
/// No other block accesses the part. A barrier is before this step, and another one after it.
#[inline(always)]
unsafe fn add_at(part: GlobalMut<i32>, stride: u32) {
    let (thread, stride) = (thread_idx_x() as usize, stride as usize);
    if thread < stride && thread + stride < part.len() {
        // SAFETY: in this step only this thread accesses these two.
        unsafe { part.set(thread, part.get(thread) + part.get(thread + stride)) };
    }
}

/// Does the steps from 64 elements down to one, in the block's first warp. Thread 0 takes the last
/// step itself, and writes the sum, which is zero for a part without elements.
///
/// # Safety
/// No other block accesses the part, and a barrier is after the stores of other warps.
#[inline(always)]
unsafe fn add_in_warp(part: GlobalMut<i32>, mut sums: PerBlock<i32>) {
    if thread_idx_x() >= WARP_SIZE {
        return;
    }
    // SAFETY: the other warps have left; `sync_warp` ends a step for the lanes of this one.
    unsafe {
        for stride in [32, 16, 8, 4, 2, 1] {
            add_at(part, stride);
            sync_warp(FULL_MASK); // all 32 lanes are here: blocks are whole warps
        }
        if let Some(sum) = sums.get_mut() {
            *sum = if part.is_empty() { 0 } else { part.get(0) };
        }
    }
}
