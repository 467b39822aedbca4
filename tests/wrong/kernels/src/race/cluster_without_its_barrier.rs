//! A block writes into its neighbour's shared memory, which reads after a barrier of its own.
//! launch: grid 2, cluster 2, block 32

use lanewise_macros::{kernel, shared};
use lanewise_std::GlobalMut;
use lanewise_std::cluster;
use lanewise_std::thread::{sync_threads, thread_idx_x};

/// As it is wrong.
#[kernel]
pub fn cluster_without_its_barrier(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        shared! { static INBOX: [u32; 32]; }
        let rank = cluster::block_rank();
        INBOX.distributed().set(1 - rank, t, rank);
        sync_threads();
        data.set(t + 32 * rank as usize, INBOX.get(t));
        cluster::sync_cluster();
    }
}

/// As it is right.
#[kernel]
pub fn cluster_without_its_barrier_right(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        shared! { static INBOX: [u32; 32]; }
        let rank = cluster::block_rank();
        INBOX.distributed().set(1 - rank, t, rank);
        cluster::sync_cluster();
        data.set(t + 32 * rank as usize, INBOX.get(t));
        sync_threads();
    }
}
