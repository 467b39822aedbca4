//! A histogram whose bins lie in the shared memory of a whole cluster.
//!
//! Launch: 1-D grid of 1-D blocks, in clusters of any size; dynamic shared memory for
//! `bins.len() / blocks of the cluster` counters of 4 bytes, rounded up. Adds the count of
//! each value of `input` to `bins`. A value below 0 counts as 0, and a value past the last bin
//! as the last.
//! Shows: a cluster of b blocks has room for b times as many bins as one block, and its counters
//! are in shared memory, which is faster than global memory even across multiprocessors. With
//! clusters of 1 block it is the usual histogram in shared memory.
//! Source: CUDA C++ Programming Guide, "Distributed Shared Memory".

use lanewise_macros::kernel;
use lanewise_std::atomic::{AtomicOrdering, DeviceAtomicU32};
use lanewise_std::thread::{block_dim_x, grid_stride, thread_idx_x};
use lanewise_std::{DynamicShared, DynamicSharedArray, cluster};

/// Adds to each of `bins`, fewer than 2^31 of them, the number of values that belong to it.
#[kernel(min_arch = "sm_90")]
#[launch_contract(dims = 1)]
pub fn cluster_histogram(input: &[i32], bins: &[DeviceAtomicU32]) {
    if bins.is_empty() {
        return;
    }
    let all = DynamicSharedArray::<u32>::get().distributed();
    // Bin i is element i % each of block i / each. The division is in 32 bits, because one in 64
    // bits is a function with registers of its own.
    let each = (bins.len() as u32).div_ceil(cluster::num_blocks());
    let own = DynamicShared::new().atomics(each as usize);

    let mut i = thread_idx_x();
    while i < each {
        own[i as usize].store(0, AtomicOrdering::Relaxed);
        i += block_dim_x();
    }
    cluster::sync_cluster(); // all counters are 0, and all blocks have begun

    // ANCHOR: count
    let last = i32::try_from(bins.len() - 1).unwrap_or(i32::MAX);
    for i in grid_stride(input.len()) {
        let bin = input[i].clamp(0, last) as u32;
        let counter = all.address_of(bin / each, (bin % each) as usize);
        // SAFETY: between the two barriers all threads access the counters only by atomics, and no
        // block ends. No type is atomics of a cluster, whose blocks stay.
        unsafe { DeviceAtomicU32::from_ptr(counter) }.fetch_add(1, AtomicOrdering::Relaxed);
    }
    cluster::sync_cluster(); // all is counted, and nobody reaches into another block any more
    // ANCHOR_END: count

    let start = cluster::block_rank() * each;
    let mut i = thread_idx_x();
    while i < each {
        if let Some(bin) = bins.get((start + i) as usize) {
            let count = own[i as usize].load(AtomicOrdering::Relaxed);
            bin.fetch_add(count, AtomicOrdering::Relaxed);
        }
        i += block_dim_x();
    }
}
