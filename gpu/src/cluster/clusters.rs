//! A block's position in its cluster, and a sum that the blocks of a cluster compute together.
//!
//! Launch: 1-D grid of 1-D blocks, a multiple of the cluster; `cluster_ids` in clusters of the
//! launch's size, with at least one thread for each element; `cluster_sync_sum` in clusters of
//! [`SUM_CLUSTER`], which the kernel fixes, and blocks of whole warps. `cluster_ids` writes
//! for each thread its cluster, its block's rank there, the cluster's blocks, and its own rank
//! in the cluster. `cluster_sync_sum` reads `input` once and writes the sum of what cluster c
//! read to `sums[c]`: a matrix with one column and a row for each cluster.
//! Shows: either the kernel fixes the size of a cluster or the launch chooses it. A block reads
//! another block's shared memory after a barrier of the cluster, so only one store per cluster is
//! needed instead of one per block.
//! Source: CUDA C++ Programming Guide, "Thread Block Clusters", "Distributed Shared Memory"; PTX
//! ISA, "barrier.cluster", "mapa".

use lanewise_macros::{kernel, shared};
use lanewise_std::atomic::AtomicOrdering;
use lanewise_std::collective::{Sum, block_reduce};
use lanewise_std::disjoint_matrix::RowPer;
use lanewise_std::thread::{self, Clusters, grid_stride};
use lanewise_std::{DisjointMatrix, DisjointSlice, SharedAtomics, cluster};

/// Blocks of a cluster of `cluster_sync_sum`.
pub const SUM_CLUSTER: u32 = 4;

/// Writes `[cluster, rank of the block in it, blocks in it, rank of the thread in it]`
/// for each thread.
#[kernel(min_arch = "sm_90")]
#[launch_contract(dims = 1)]
pub fn cluster_ids(mut ids: DisjointSlice<[u32; 4]>) {
    let index = thread::index_1d();
    if let Some(id) = ids.get_mut(&index) {
        *id = [
            cluster::cluster_index().x,
            cluster::block_rank(),
            cluster::num_blocks(),
            cluster::thread_rank(),
        ];
    }
}

/// Writes each cluster's share of the sum of `input` to its element of `sums`.
#[kernel(min_arch = "sm_90")]
#[cluster_launch(4)]
#[launch_contract(dims = 1, whole_warps)]
pub fn cluster_sync_sum(input: &[i32], mut sums: DisjointMatrix<i32, RowPer<Clusters>>) {
    shared! { static BLOCK_SUM: SharedAtomics<i32, 1>; }

    let first = thread::thread_rank() == 0;
    let sum = block_reduce(grid_stride(input.len()).map(|i| input[i]).sum(), Sum);
    if first {
        BLOCK_SUM[0].store(sum, AtomicOrdering::Relaxed);
    }
    cluster::sync_cluster(); // the first block reads below what every block set above

    let block_sums = BLOCK_SUM.distributed();
    // The cluster's first thread has the place.
    if let Some(place) = sums.in_row(&cluster::index(), 0) {
        let mut total = 0;
        for rank in 0..SUM_CLUSTER {
            // SAFETY: the block's first thread set it before the barrier, and the block waits at
            // the barrier below. No type has the phases of a cluster.
            total += unsafe { block_sums.get(rank, 0) };
        }
        *place = total;
    }
    cluster::arrive_relaxed().wait(); // no block ends while its shared memory is read
}
