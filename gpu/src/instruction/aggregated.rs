//! The sum of an array, with fewer and fewer atomics.
//!
//! Launch: 1-D grid of 1-D blocks of whole warps, with at least one thread for each element. Adds
//! the sum of `input`, modulo 2^32, to `total[0]`.
//! Shows: atomics on one address wait for each other. A sum within the warp or the block first
//! leaves one atomic per 32 threads, or one per block.
//! Source: Professional CUDA C Programming, chapter 7.

use lanewise_macros::kernel;
use lanewise_std::atomic::{AtomicOrdering, DeviceAtomicI32};
use lanewise_std::collective::{Sum, block_reduce, warp_reduce};
use lanewise_std::thread::{index_1d, thread_rank};
use lanewise_std::warp::lane_id;

/// Each thread adds its element by an atomic.
#[kernel]
#[launch_contract(dims = 1, whole_warps)]
pub fn atomic_per_thread(input: &[i32], total: &[DeviceAtomicI32]) {
    if let (Some(&element), Some(total)) = (input.get(index_1d().get()), total.first()) {
        total.fetch_add(element, AtomicOrdering::Relaxed);
    }
}

/// The lanes of a warp compute their sum, and one lane adds it.
#[kernel]
#[launch_contract(dims = 1, whole_warps)]
pub fn atomic_per_warp(input: &[i32], total: &[DeviceAtomicI32]) {
    let sum = warp_reduce(element(input), Sum);
    if let (0, Some(total)) = (lane_id(), total.first()) {
        total.fetch_add(sum, AtomicOrdering::Relaxed);
    }
}

/// The threads of a block compute their sum, and one thread adds it.
#[kernel]
#[launch_contract(dims = 1, whole_warps)]
pub fn atomic_per_block(input: &[i32], total: &[DeviceAtomicI32]) {
    let sum = block_reduce(element(input), Sum);
    if let (0, Some(total)) = (thread_rank(), total.first()) {
        total.fetch_add(sum, AtomicOrdering::Relaxed);
    }
}

/// Returns this thread's element, or zero past the end.
#[inline(always)]
fn element(input: &[i32]) -> i32 {
    input.get(index_1d().get()).copied().unwrap_or(0)
}
