//! Sum of a slice, with the steps of the reduction in global memory and in shared memory.
//!
//! Launch: 1-D grid of 1-D blocks of whole warps, with at least one thread for each element
//! (`unroll4`: for every four); the kernels named `dyn` with 4 bytes of dynamic shared memory a
//! thread. Block b sums its part, `block_dim_x` elements (`unroll4`: four times that), and writes
//! the sum to `sums[b]`. The kernels named `gmem` overwrite their data. The slice may have any
//! length; a part past its end sums to zero.
//! Shows: all kernels take the same steps. With the steps in shared memory, every element is
//! loaded from global memory once, and a block stores only its sum; the rest of the traffic stays
//! on the multiprocessor.
//! Source: Professional CUDA C Programming, chapter 5.

use lanewise_macros::{kernel, shared};
use lanewise_std::thread::{block_dim_x, block_idx_x, sync_threads, thread_idx_x};
use lanewise_std::warp::{FULL_MASK, WARP_SIZE, sync_warp};
use lanewise_std::{Cells, DynamicSharedArray, GlobalMut, PerBlock, gpu_assert};

use crate::execution::reduce_unrolled::add_columns;

/// The most threads that a block can have.
const THREADS: usize = 1024;
/// The number of elements that a thread of the unrolled kernels first adds by itself.
const UNROLL: usize = 4;

/// Does all steps in global memory.
#[kernel]
#[launch_contract(dims = 1, whole_warps)]
pub fn reduce_gmem(data: GlobalMut<i32>, sums: PerBlock<i32>) {
    let threads = block_dim_x() as usize;
    let part = data.part(block_idx_x() as usize * threads, threads);
    // SAFETY: the launch is 1-D, so no other block has this part; it has not been stored to yet.
    unsafe {
        add_up(&part, part.len());
        store_first(&part, sums);
    }
}

/// Copies an element of each thread to shared memory, and does all steps there.
#[kernel]
#[launch_contract(dims = 1, whole_warps)]
pub fn reduce_smem(input: &[i32], sums: PerBlock<i32>) {
    shared! { static PARTIALS: [i32; THREADS]; }
    // SAFETY: the block's own array, with one number per thread.
    unsafe { reduce_in(&PARTIALS, load::<1>(input), sums) };
}

/// Does the same in dynamic shared memory, whose size the launch gives.
#[kernel]
#[launch_contract(dims = 1, whole_warps)]
pub fn reduce_smem_dyn(input: &[i32], sums: PerBlock<i32>) {
    let partials = element_of_each_thread();
    // SAFETY: the block's own array, with one number per thread.
    unsafe { reduce_in(&partials, load::<1>(input), sums) };
}

/// Adds four elements of each thread in registers to one in global memory; all steps there.
#[kernel]
#[launch_contract(dims = 1, whole_warps)]
pub fn reduce_gmem_unroll4(data: GlobalMut<i32>, sums: PerBlock<i32>) {
    let start = block_idx_x() as usize * block_dim_x() as usize * UNROLL;
    // SAFETY: the launch is 1-D, so no other block has these elements, and all threads of this one
    // are here; `add_columns` ends with a barrier.
    unsafe {
        let live = add_columns::<UNROLL>(data, start);
        let part = data.part(start, live);
        add_up(&part, part.len());
        store_first(&part, sums);
    }
}

/// Adds four elements of each thread in registers to one in shared memory; all steps there.
#[kernel]
#[launch_contract(dims = 1, whole_warps)]
pub fn reduce_smem_unroll4(input: &[i32], sums: PerBlock<i32>) {
    shared! { static PARTIALS: [i32; THREADS]; }
    // SAFETY: the block's own array, with one number per thread.
    unsafe { reduce_in(&PARTIALS, load::<UNROLL>(input), sums) };
}

/// Does the same in dynamic shared memory, whose size the launch gives.
#[kernel]
#[launch_contract(dims = 1, whole_warps)]
pub fn reduce_smem_unroll4_dyn(input: &[i32], sums: PerBlock<i32>) {
    let partials = element_of_each_thread();
    // SAFETY: the block's own array, with one number per thread.
    unsafe { reduce_in(&partials, load::<UNROLL>(input), sums) };
}

/// Returns dynamic shared memory with an element for each thread of the block. A launch with less
/// memory fails here.
#[inline(always)]
fn element_of_each_thread() -> DynamicSharedArray<i32> {
    let partials = DynamicSharedArray::<i32>::get();
    gpu_assert!(
        partials.len() >= block_dim_x() as usize,
        "the launch gave too little shared memory for a number of each thread"
    );
    partials
}

/// Returns the sum of this thread's elements, a block apart; those past the end are zero.
#[inline(always)]
fn load<const ELEMENTS: usize>(input: &[i32]) -> i32 {
    let threads = block_dim_x() as usize;
    let first = block_idx_x() as usize * threads * ELEMENTS + thread_idx_x() as usize;
    let element = |k| input.get(first + k * threads).copied().unwrap_or(0); // no load waits for another
    (0..ELEMENTS).map(element).sum()
}

/// Adds the values of all threads of the block in the cells, and writes the sum.
///
/// # Safety
/// All threads of a block of whole warps call it with the same cells, which nothing else uses, and
/// of which there is at least one for each thread.
#[inline(always)]
unsafe fn reduce_in(cells: &Cells<i32>, value: i32, sums: PerBlock<i32>) {
    // SAFETY: each thread sets its own element; the first step comes after the barrier.
    unsafe {
        cells.set(thread_idx_x() as usize, value);
        sync_threads();
        add_up(cells, block_dim_x() as usize);
        store_first(cells, sums);
    }
}

/// Adds the first `live` numbers into the first one: one half to the other, with the last six steps
/// by one warp. Thread 0 takes the last step.
///
/// # Safety
/// All threads of a block of whole warps call it with the same cells, which nothing else uses, and
/// the same `live`, which is at most their number and `block_dim_x`. A barrier is after the stores
/// to the cells.
#[inline(always)]
unsafe fn add_up(cells: &Cells<i32>, live: usize) {
    let thread = thread_idx_x() as usize;
    let step = |stride: usize| {
        if thread < stride && thread + stride < live {
            // SAFETY: below `live`. In one step a number is read by one thread, and written only by
            // the same thread.
            unsafe {
                let sum = cells.get_unchecked(thread) + cells.get_unchecked(thread + stride);
                cells.set_unchecked(thread, sum);
            }
        }
    };
    for stride in [512, 256, 128, 64] {
        // This is the same for all threads of the block, so all reach the barrier, or none.
        if block_dim_x() as usize > stride {
            step(stride);
            sync_threads(); // the next step adds what other threads stored in this one
        }
    }
    if thread_idx_x() < WARP_SIZE {
        for stride in [32, 16, 8, 4, 2, 1] {
            step(stride);
            sync_warp(FULL_MASK); // all 32 lanes are here: blocks are whole warps
        }
    }
}

/// Thread 0 writes the first of the block's cells as its sum, or zero if there is none.
///
/// # Safety
/// Thread 0 stored the value in the first cell, or a barrier is after its store.
#[inline]
unsafe fn store_first(cells: &Cells<i32>, mut sums: PerBlock<i32>) {
    if let Some(sum) = sums.get_mut() {
        *sum = if cells.is_empty() {
            0
        } else {
            // SAFETY: as the caller guarantees.
            unsafe { cells.get_unchecked(0) }
        };
    }
}
