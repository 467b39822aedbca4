//! Shared memory of a block that the cluster does not have.
//! launch: grid 2, cluster 2, block 32

use lanewise_macros::{kernel, shared};
use lanewise_std::GlobalMut;
use lanewise_std::cluster;
use lanewise_std::thread::thread_idx_x;

/// As it is wrong.
#[kernel]
pub fn rank_past_the_cluster(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        shared! { static TILE: [u32; 32]; }
        TILE.set(t, 1);
        cluster::sync_cluster();
        let pointer = cluster::map_shared_rank(TILE.as_ptr(), 2);
        pointer.add(t).write_volatile(2);
        cluster::sync_cluster();
        data.set(t, 1);
    }
}

/// As it is right.
#[kernel]
pub fn rank_past_the_cluster_right(data: GlobalMut<u32>) {
    let t = thread_idx_x() as usize;
    unsafe {
        shared! { static TILE: [u32; 32]; }
        TILE.set(t, 1);
        cluster::sync_cluster();
        let pointer = cluster::map_shared_rank(TILE.as_ptr(), 1 - cluster::block_rank());
        pointer.add(t).write_volatile(2);
        cluster::sync_cluster();
        data.set(t + 32 * cluster::block_rank() as usize, TILE.get(t));
    }
}
