//! A block of a cluster reads what its neighbour fills later.
//! launch: grid 2, cluster 2, block 32

use lanewise_macros::{kernel, shared};
use lanewise_std::GlobalMut;
use lanewise_std::cluster;
use lanewise_std::thread::thread_idx_x;

/// As it is wrong.
#[kernel]
pub fn neighbours_shared_memory(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        shared! { static TILE: [u32; 32]; }
        let rank = cluster::block_rank();
        if rank == 0 {
            TILE.set(t, 1);
        }
        cluster::sync_cluster();
        let sum = TILE.distributed().get(1 - rank, t) + 1;
        data.set(t + 32 * rank as usize, sum);
        cluster::sync_cluster();
    }
}

/// As it is right.
#[kernel]
pub fn neighbours_shared_memory_right(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        shared! { static TILE: [u32; 32]; }
        let rank = cluster::block_rank();
        TILE.set(t, 1);
        cluster::sync_cluster();
        let sum = TILE.distributed().get(1 - rank, t) + 1;
        data.set(t + 32 * rank as usize, sum);
        cluster::sync_cluster();
    }
}
