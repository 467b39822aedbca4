//! The sum of two vectors at each of OpenACC's levels of parallelism.
//!
//! A *gang* is a block, a *worker* is a warp, a *vector* is the lanes of a warp. Launch: 1-D grid
//! of G blocks of W whole warps. Reads `a` and `b`, writes `c`; elements past the shortest of the
//! three are left alone.
//!
//! | kernel | threads at work | each does |
//! | --- | --- | --- |
//! | `gang_redundant` | G | all elements |
//! | `gang_partitioned` | G | every G-th element |
//! | `worker_partitioned` | G W | every G W-th element |
//! | `vector_partitioned` | 32 G W | every 32 G W-th element |
//!
//! Shows: the first three kernels use one lane of a warp, and a warp costs the same with one lane
//! as with 32.
//! Source: CUDA study notes, section 8.8; The OpenACC API, "Execution Model".

use lanewise_macros::kernel;
use lanewise_std::DisjointSlice;
use lanewise_std::atomic::{AtomicOrdering, DeviceAtomicI32};
use lanewise_std::thread::{block_idx_x, grid_dim_x, grid_stride, thread_idx_x};
use lanewise_std::warp::{lane_id, warp_id, warps_per_block};

/// One thread of each gang computes all elements, and all gangs write the same values.
///
/// OpenACC starts a parallel region in this way, for values that every gang needs. Many threads
/// write one place here. That is a race even if all write the same value, so the stores are atomic.
#[kernel]
#[launch_contract(dims = 1, whole_warps)]
pub fn gang_redundant(a: &[i32], b: &[i32], c: &[DeviceAtomicI32]) {
    if thread_idx_x() == 0 {
        for i in 0..a.len().min(b.len()).min(c.len()) {
            c[i].store(a[i].wrapping_add(b[i]), AtomicOrdering::Relaxed);
        }
    }
}

/// One thread of each gang works, and the gangs divide the elements.
#[kernel]
#[launch_contract(dims = 1, whole_warps)]
pub fn gang_partitioned(a: &[i32], b: &[i32], c: DisjointSlice<i32>) {
    if thread_idx_x() == 0 {
        let (gang, gangs) = (block_idx_x() as usize, grid_dim_x() as usize);
        // SAFETY: the launch is 1-D, so gangs have different numbers below `gangs`, and only one
        // thread of each is here.
        unsafe { add_every(gangs, gang, a, b, c) };
    }
}

/// One lane of each worker works, and all workers of all gangs divide the elements.
#[kernel]
#[launch_contract(dims = 1, whole_warps)]
pub fn worker_partitioned(a: &[i32], b: &[i32], c: DisjointSlice<i32>) {
    if lane_id() == 0 {
        let workers_of_a_gang = warps_per_block() as usize;
        let worker = block_idx_x() as usize * workers_of_a_gang + warp_id() as usize;
        let workers = grid_dim_x() as usize * workers_of_a_gang;
        // SAFETY: workers have different numbers below `workers`, and one lane of each is here.
        unsafe { add_every(workers, worker, a, b, c) };
    }
}

/// All lanes of all workers of all gangs divide the elements, as a CUDA kernel usually does
/// from the start.
#[kernel]
#[launch_contract(dims = 1, whole_warps)]
pub fn vector_partitioned(a: &[i32], b: &[i32], mut c: DisjointSlice<i32>) {
    for index in grid_stride(a.len().min(b.len())).indices() {
        let i = index.get();
        if let Some(c) = c.get_mut(&index) {
            *c = a[i].wrapping_add(b[i]);
        }
    }
}

/// Adds elements `first`, `first + step`, `first + 2 step`, ...
///
/// # Safety
/// Each calling thread has a different `first` below `step`, which is the same for all.
#[inline(always)]
unsafe fn add_every(step: usize, first: usize, a: &[i32], b: &[i32], mut c: DisjointSlice<i32>) {
    let mut i = first;
    while i < a.len().min(b.len()) {
        // SAFETY: the caller guarantees that other threads have another remainder by `step`.
        if let Some(c) = unsafe { c.get_unique_mut(i) } {
            *c = a[i].wrapping_add(b[i]);
        }
        i += step;
    }
}
