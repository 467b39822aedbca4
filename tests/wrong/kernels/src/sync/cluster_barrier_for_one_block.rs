//! One block of a cluster returns, and reads of its shared memory follow.
//! launch: grid 2, cluster 2, block 32

use lanewise_macros::{kernel, shared};
use lanewise_std::GlobalMut;
use lanewise_std::cluster;
use lanewise_std::thread::thread_idx_x;

/// As it is wrong.
#[kernel]
pub fn cluster_barrier_for_one_block(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        shared! { static VALUE: [u32; 32]; }
        let rank = cluster::block_rank();
        VALUE.set(t, rank);
        cluster::sync_cluster();
        if rank == 0 {
            data.set(t, VALUE.distributed().address_of(1, t).read());
        }
    }
}

/// As it is right.
#[kernel]
pub fn cluster_barrier_for_one_block_right(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        shared! { static VALUE: [u32; 32]; }
        let rank = cluster::block_rank();
        VALUE.set(t, rank);
        cluster::sync_cluster();
        if rank == 0 {
            data.set(t, VALUE.distributed().address_of(1, t).read());
        }
        cluster::sync_cluster();
    }
}
