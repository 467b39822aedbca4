//! Asynchronous copies of each size, in groups, and what a block can read about a cluster
//! of two dimensions.

use lanewise_macros::{kernel, shared};
use lanewise_std::async_copy::{commit_group, copy_async, copy_async_prefix, wait_all, wait_group};
use lanewise_std::groups::{Group, this_cluster};
use lanewise_std::pipeline::Pipeline;
use lanewise_std::thread::{block_idx_x, block_idx_y, grid_dim_x, thread_idx_x};
use lanewise_std::{GlobalMut, cluster};

/// Threads of the block of [`copy_in_groups`].
pub const THREADS: usize = 128;

/// Sixteen bytes, aligned to them.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
struct Sixteen([u32; 4]);

/// Thread t copies 4, 8 and the first t % 17 of 16 bytes, each in a group of its own. It writes the
/// seven words to `output`: its part of `input` as an array of each size.
///
/// # Safety
/// `input` begins at a multiple of 16 bytes, and has four words for each thread.
#[kernel]
#[launch_contract(dims = 1, block = (128))]
pub unsafe fn copy_in_groups(input: &[u32], output: GlobalMut<u32>) {
    shared! {
        static FOUR: [u32; THREADS];
        static EIGHT: [u64; THREADS];
        static SIXTEEN: [Sixteen; THREADS];
    }
    let t = thread_idx_x() as usize;
    let put = |i: usize, word: u32| {
        // SAFETY: each thread has seven elements.
        unsafe { output.set(7 * t + i, word) };
    };
    // SAFETY: in bounds and aligned, as the caller says; each thread has its element of each array,
    // and reads it after the wait.
    unsafe {
        FOUR.copy_async(t, input, t);
        commit_group();
        copy_async(EIGHT.as_ptr().add(t), input.as_ptr().cast::<u64>().add(t));
        commit_group();
        let from = input.as_ptr().cast::<Sixteen>().add(t);
        copy_async_prefix(SIXTEEN.as_ptr().add(t), from, t as u32 % 17);
        commit_group();
        wait_group::<2>();
        put(0, FOUR.get(t));
        wait_group::<1>();
        let eight = EIGHT.get(t);
        put(1, eight as u32);
        put(2, (eight >> 32) as u32);
        wait_all();
        let Sixteen(words) = SIXTEEN.get(t);
        for (i, word) in words.into_iter().enumerate() {
            put(3 + i, word);
        }
    }
}

/// The threads of each half of the block of [`copy_by_other_warps`].
pub const HALF: usize = 64;

/// The first half of the block's threads copy tile after tile, and the others write them to
/// `output`. A tile past the end of `input` has zeros.
#[kernel]
#[launch_contract(dims = 1, block = (128))]
pub fn copy_by_other_warps(input: &[u32], output: GlobalMut<u32>) {
    shared! {
        static TILES: [[u32; HALF]; 3];
        static PIPELINE: Pipeline<3> = (HALF as u32, HALF as u32);
    }
    let t = thread_idx_x() as usize;
    let tiles = (0..output.len()).step_by(HALF);
    if t < HALF {
        let mut producer = PIPELINE.producer();
        for start in tiles {
            let place = producer.acquire();
            let tile = TILES.row(place.stage());
            // SAFETY: the place is empty, and each producer has an element of its own.
            unsafe { tile.copy_async_or_zero(t, input, start + t) };
            place.commit_copies();
        }
    } else {
        let mut consumer = PIPELINE.consumer();
        for start in tiles {
            let place = consumer.wait();
            // SAFETY: the place is full, and only one block and this thread have the element.
            unsafe { output.set(start + t - HALF, TILES.get_at(place.stage(), t - HALF)) };
            place.release();
        }
    }
}

/// For each block, x fastest: whether the launch has clusters; the block's position in its cluster
/// and the cluster's in the grid, along x and y; blocks of a cluster and clusters of the grid,
/// along x and y; and, as bits, the ranks of the blocks whose memory `map_shared_rank` returns.
#[kernel]
#[launch_contract(dims = 2)]
pub fn cluster_facts(output: GlobalMut<[u32; 10]>) {
    shared! { static VALUE: [u32; 1]; }
    if thread_idx_x() != 0 {
        return;
    }
    let (block, blocks) = (cluster::block_index(), cluster::dim_blocks());
    let (index, clusters) = (cluster::cluster_index(), cluster::dim_clusters());
    let mut ranks = 0;
    for rank in 0..cluster::num_blocks() {
        let there = cluster::map_shared_rank(VALUE.as_ptr(), rank);
        ranks |= 1 << cluster::query_shared_rank(there);
    }
    let number = (block_idx_y() * grid_dim_x() + block_idx_x()) as usize;
    if number < output.len() {
        let facts = [
            u32::from(cluster::is_explicit()),
            block.x,
            block.y,
            index.x,
            index.y,
            blocks.x,
            blocks.y,
            clusters.x,
            clusters.y,
            ranks,
        ];
        // SAFETY: one thread of each block, and each has its element.
        unsafe { output.set(number, facts) };
    }
}

/// Each thread of a cluster reads the next block's number. Then it writes its rank and this number
/// at its own index in the grid.
#[kernel]
#[launch_contract(dims = 1)]
pub fn cluster_group(output: GlobalMut<[u32; 3]>) {
    shared! { static NUMBER: [u32; 1]; }
    let cluster = this_cluster();
    if thread_idx_x() == 0 {
        // SAFETY: one thread of each block, before the barrier.
        unsafe { NUMBER.set(0, 100 + block_idx_x()) };
    }
    cluster.sync();
    let next = (cluster.block_rank() + 1) % cluster.num_blocks();
    // SAFETY: set before the barrier; no block ends before the next one.
    let number = unsafe { NUMBER.distributed().get(next, 0) };
    cluster.sync();
    let first = block_idx_x() / cluster.num_blocks() * cluster.size();
    let index = (first + cluster.rank()) as usize;
    if index < output.len() {
        // SAFETY: each rank of each cluster is one thread's.
        unsafe { output.set(index, [cluster.rank(), cluster.size(), number]) };
    }
}
