//! Sum of a slice, where the steps are taken in global memory, and where they are taken in shared memory.
//!
//! Launch: 1-D grid of 1-D blocks of whole warps, with at least one thread for each element (`unroll4`: for every four); the kernels named
//! `dyn` with 4 bytes of dynamic shared memory a thread.
//! Block b sums its part, `block_dim_x` elements (`unroll4`: four times that), and writes the sum to `sums[b]`. The kernels named
//! `gmem` overwrite their data. Any length will do; a part past the end sums to zero.
//! Shows: with the steps in shared memory, every element is loaded from global memory once and a block stores once, its sum; the
//! rest of the traffic stays on the multiprocessor. All take the same steps.
//! Source: CUDA study notes, section 5.3.

use lanewise_macros::{kernel, shared};
use lanewise_std::thread::{block_dim_x, block_idx_x, sync_threads, thread_idx_x};
use lanewise_std::warp::{FULL_MASK, WARP_SIZE, sync_warp};
use lanewise_std::{DynamicSharedArray, GlobalMut, gpu_assert};

use crate::execution::reduce_unrolled::add_columns;

/// The most threads that a block can have.
const THREADS: usize = 1024;
/// Elements that a thread of the unrolled kernels adds by itself at first.
const UNROLL: usize = 4;

/// All steps in global memory.
#[kernel]
#[launch_contract(dims = 1, whole_warps)]
pub fn reduce_gmem(data: GlobalMut<i32>, sums: GlobalMut<i32>) {
    let threads = block_dim_x() as usize;
    let part = data.part(block_idx_x() as usize * threads, threads);
    // SAFETY: the launch is 1-D, so no other block has this part.
    unsafe { add_up_in_place(part, sums) };
}

/// An element of each thread to shared memory, and all steps there.
#[kernel]
#[launch_contract(dims = 1, whole_warps)]
pub fn reduce_smem(input: &[i32], sums: GlobalMut<i32>) {
    shared! { static PARTIALS: [i32; THREADS]; }
    // SAFETY: `get` and `set` are of one array of the block, which nothing else uses.
    unsafe {
        add_up_shared(
            load::<1>(input),
            sums,
            |i| PARTIALS.get(i),
            |i, sum| PARTIALS.set(i, sum),
        )
    };
}

/// The same in shared memory that the launch gives.
#[kernel]
#[launch_contract(dims = 1, whole_warps)]
pub fn reduce_smem_dyn(input: &[i32], sums: GlobalMut<i32>) {
    add_up_dynamic(load::<1>(input), sums);
}

/// Four elements of each thread, added in registers to one in global memory; all steps there.
#[kernel]
#[launch_contract(dims = 1, whole_warps)]
pub fn reduce_gmem_unroll4(data: GlobalMut<i32>, sums: GlobalMut<i32>) {
    let start = block_idx_x() as usize * block_dim_x() as usize * UNROLL;
    // SAFETY: the launch is 1-D, so no other block has these elements, and all threads of this one are here.
    unsafe {
        let live = add_columns::<UNROLL>(data, start);
        add_up_in_place(data.part(start, live), sums);
    }
}

/// Four elements of each thread, added in registers to one in shared memory; all steps there.
#[kernel]
#[launch_contract(dims = 1, whole_warps)]
pub fn reduce_smem_unroll4(input: &[i32], sums: GlobalMut<i32>) {
    shared! { static PARTIALS: [i32; THREADS]; }
    // SAFETY: `get` and `set` are of one array of the block, which nothing else uses.
    unsafe {
        add_up_shared(
            load::<UNROLL>(input),
            sums,
            |i| PARTIALS.get(i),
            |i, sum| PARTIALS.set(i, sum),
        )
    };
}

/// The same in shared memory that the launch gives.
#[kernel]
#[launch_contract(dims = 1, whole_warps)]
pub fn reduce_smem_unroll4_dyn(input: &[i32], sums: GlobalMut<i32>) {
    add_up_dynamic(load::<UNROLL>(input), sums);
}

/// The sum of this thread's elements, a block apart; zero for those past the end.
#[inline(always)]
fn load<const ELEMENTS: usize>(input: &[i32]) -> i32 {
    let threads = block_dim_x() as usize;
    let first = block_idx_x() as usize * threads * ELEMENTS + thread_idx_x() as usize;
    let element = |k| input.get(first + k * threads).copied().unwrap_or(0); // no load waits for another
    (0..ELEMENTS).map(element).sum()
}

/// Adds up the part and writes the sum.
///
/// # Safety
/// All threads of the block call it with the same part, which no other block touches; a barrier is behind what was stored there.
#[inline(always)]
unsafe fn add_up_in_place(part: GlobalMut<i32>, sums: GlobalMut<i32>) {
    let thread = thread_idx_x() as usize;
    // SAFETY: as the caller says; `add_up` stays below the length and keeps the threads apart; thread 0 took the last step itself.
    unsafe {
        let get = |i| part.get_unchecked(i);
        add_up(part.len(), get, |i, sum| part.set_unchecked(i, sum));
        if thread == 0 {
            write_sum(sums, if part.is_empty() { 0 } else { get(0) });
        }
    }
}

/// Adds up one number of each thread in dynamic shared memory and writes the sum. All threads of the block call it.
#[inline(always)]
fn add_up_dynamic(mine: i32, sums: GlobalMut<i32>) {
    let partials = DynamicSharedArray::<i32>::get();
    gpu_assert!(
        partials.len() >= block_dim_x() as usize,
        "the launch gave too little shared memory for a number of each thread"
    );
    // SAFETY: `get` and `set` are of one array of the block, which nothing else uses; it has an element for each thread.
    unsafe {
        add_up_shared(
            mine,
            sums,
            |i| partials.read_unchecked(i),
            |i, sum| partials.write_unchecked(i, sum),
        )
    };
}

/// Adds up one number of each thread in shared memory and writes the sum.
///
/// # Safety
/// All threads of the block call it. `get` and `set` copy from and to an array of the block of at least `block_dim_x` elements.
#[inline(always)]
unsafe fn add_up_shared(
    mine: i32,
    sums: GlobalMut<i32>,
    get: impl Fn(usize) -> i32,
    set: impl Fn(usize, i32),
) {
    let thread = thread_idx_x() as usize;
    set(thread, mine);
    sync_threads(); // the first step adds what other threads have set
    // SAFETY: as the caller says; thread 0 took the last step itself.
    unsafe {
        add_up(block_dim_x() as usize, &get, set);
        if thread == 0 {
            write_sum(sums, get(0));
        }
    }
}

/// Adds the `live` numbers that `get` has to the first: half to half, the last six steps by one warp.
///
/// # Safety
/// All threads of a block of whole warps call it with the same `live`, which is at most `block_dim_x`. `get` and `set` copy from
/// and to an array of that length that nobody else uses, and a barrier is behind what was stored there.
#[inline(always)]
unsafe fn add_up(live: usize, get: impl Fn(usize) -> i32, set: impl Fn(usize, i32)) {
    let thread = thread_idx_x() as usize;
    // In one step a number is read by one thread, and written by the same or by none.
    let step = |stride: usize| {
        if thread < stride && thread + stride < live {
            set(thread, get(thread) + get(thread + stride));
        }
    };
    for stride in [512, 256, 128, 64] {
        // The same for all threads of the block, so that all come to the barrier, or none.
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

/// Writes the block's sum, if there is a place for it.
///
/// # Safety
/// One thread of the block calls it.
#[inline]
unsafe fn write_sum(sums: GlobalMut<i32>, sum: i32) {
    let block = block_idx_x() as usize;
    if block < sums.len() {
        // SAFETY: blocks have places of their own.
        unsafe { sums.set(block, sum) };
    }
}
