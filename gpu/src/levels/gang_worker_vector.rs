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
//! Source: Professional CUDA C Programming, chapter 8; The OpenACC API, "Execution Model".

use lanewise_macros::kernel;
use lanewise_std::atomic::{AtomicOrdering, DeviceAtomicI32};
use lanewise_std::thread::{
    grid_stride, grid_stride_by_blocks, grid_stride_by_warps, thread_idx_x,
};
use lanewise_std::warp::WARP_SIZE;
use lanewise_std::{DisjointSlice, PerBlock, PerWarp};

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
pub fn gang_partitioned(a: &[i32], b: &[i32], mut c: PerBlock<i32>) {
    if thread_idx_x() == 0 {
        for index in grid_stride_by_blocks(a.len().min(b.len())) {
            let i = index.get();
            if let Some(c) = c.get_mut_at(&index) {
                *c = a[i].wrapping_add(b[i]);
            }
        }
    }
}

/// One lane of each worker works, and all workers of all gangs divide the elements.
#[kernel]
#[launch_contract(dims = 1, whole_warps)]
pub fn worker_partitioned(a: &[i32], b: &[i32], mut c: PerWarp<i32>) {
    if thread_idx_x().is_multiple_of(WARP_SIZE) {
        for index in grid_stride_by_warps(a.len().min(b.len())) {
            let i = index.get();
            if let Some(c) = c.get_mut(&index) {
                *c = a[i].wrapping_add(b[i]);
            }
        }
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
