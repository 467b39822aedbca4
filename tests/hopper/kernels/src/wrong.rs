//! Wrong uses, one per kernel. Each has a report that names the error.

use lanewise_macros::{kernel, shared};
use lanewise_std::barrier::{Barrier, Parity};
use lanewise_std::fence::fence_proxy_async_shared;
use lanewise_std::matrix::element::Bf16;
use lanewise_std::matrix::warpgroup::{Accumulator, Descriptor};
use lanewise_std::pipeline::Pipeline;
use lanewise_std::scope::{Block, Cluster};
use lanewise_std::thread::{block_dim_x, nanosleep, sync_threads, thread_idx_x};
use lanewise_std::tma::{SwizzledTile, TensorMap, TensorMapMut, Tile};
use lanewise_std::{GlobalMut, bulk, cluster};

/// The first thread never arrives, and the rest wait for it.
#[kernel]
#[launch_contract(dims = 1)]
pub fn missed_arrive() {
    shared! { static BARRIER: Barrier<Block>; }
    if thread_idx_x() > 0 {
        BARRIER.arrive_and_wait();
    }
}

/// A producer that leaves before its place is full.
#[kernel]
#[launch_contract(dims = 1)]
pub fn missed_commit() {
    shared! { static PIPELINE: Pipeline<2> = (2, 1); }
    match thread_idx_x() {
        0 => PIPELINE.producer().acquire().commit(),
        1 => {} // it should be the second producer
        _ => PIPELINE.consumer().wait().release(),
    }
}

/// Expects `expected` bytes of a box of 256.
#[kernel]
#[launch_contract(dims = 1)]
pub fn expected_bytes(map: TensorMap<u32, 2>, expected: u32, output: GlobalMut<u32>) {
    shared! {
        static BOX: [Tile<[u32; 64]>; 1];
        static BARRIER: Barrier<Block> = 1;
    }
    let tile = BOX.tile(0);
    if thread_idx_x() == 0 {
        let _ = BARRIER.arrive_expect_bytes(expected);
        // SAFETY: there is room; it is read after the wait.
        unsafe { map.load(tile.as_ptr(), [0, 0], &BARRIER) };
    }
    BARRIER.wait_parity(Parity::Even);
    if thread_idx_x() == 0 {
        // SAFETY: one thread.
        unsafe { output.set(0, tile.get(0)) };
    }
}

/// A box that begins 16 bytes after a valid address.
#[kernel]
#[launch_contract(dims = 1)]
pub fn misaligned_box(map: TensorMap<u32, 2>) {
    shared! {
        static BOX: [Tile<[u32; 128]>; 1];
        static BARRIER: Barrier<Block> = 1;
    }
    if thread_idx_x() == 0 {
        let _ = BARRIER.arrive_expect_bytes(256);
        // SAFETY: none; this is what the test is about.
        unsafe { map.load(BOX.tile(0).as_ptr().add(4), [0, 0], &BARRIER) };
    }
    BARRIER.wait_parity(Parity::Even);
}

/// A box that begins at the second element of its row.
#[kernel]
#[launch_contract(dims = 1)]
pub fn box_between_pieces(map: TensorMap<u32, 2>) {
    shared! {
        static BOX: [Tile<[u32; 64]>; 1];
        static BARRIER: Barrier<Block> = 1;
    }
    if thread_idx_x() == 0 {
        let _ = BARRIER.arrive_expect_bytes(256);
        // SAFETY: there is room; no thread reads it.
        unsafe { map.load(BOX.tile(0).as_ptr(), [1, 0], &BARRIER) };
    }
    BARRIER.wait_parity(Parity::Even);
}

/// The second block of a cluster ends, and the first reads its shared memory.
#[kernel]
#[launch_contract(dims = 1)]
pub fn leaves_the_cluster(output: GlobalMut<u32>) {
    shared! { static VALUE: [u32; 1]; }
    if thread_idx_x() == 0 {
        // SAFETY: one thread of each block.
        unsafe { VALUE.set(0, 100 + cluster::block_rank()) };
    }
    cluster::sync_cluster();
    if cluster::block_rank() == 1 {
        return;
    }
    let mut seen = 0;
    for _ in 0..10_000 {
        // SAFETY: none; this is what the test is about.
        seen += unsafe { VALUE.distributed().get(1, 0) };
    }
    if thread_idx_x() == 0 {
        // SAFETY: one thread.
        unsafe { output.set(0, seen) };
    }
}

/// Threads write a box, and one stores it with a barrier between and no fence.
#[kernel]
#[launch_contract(dims = 1)]
pub fn no_proxy_fence(map: TensorMapMut<u32, 2>) {
    shared! { static BOX: [Tile<[u32; 64]>; 1]; }
    let tile = BOX.tile(0);
    for i in (thread_idx_x() as usize..64).step_by(block_dim_x() as usize) {
        // SAFETY: the element is this thread's until the barrier.
        unsafe { tile.set(i, i as u32) };
    }
    sync_threads();
    if thread_idx_x() == 0 {
        // SAFETY: none; the fence that is missing is what the test is about.
        unsafe { map.store([0, 0], tile.as_ptr()) };
        bulk::commit_group();
        bulk::wait_group::<0>();
    }
}

/// Products that nobody waits for, whose sum is read.
#[kernel(min_arch = "sm_90a")]
#[launch_contract(dims = 1, block = (128))]
pub fn forgotten_products(output: GlobalMut<f32>) {
    shared! { static TILE: [SwizzledTile<[u16; 4096]>; 1]; }
    for i in (thread_idx_x() as usize..4096).step_by(block_dim_x() as usize) {
        // SAFETY: the element is this thread's until the barrier.
        unsafe { TILE.tile(0).set(i, 0x3f80) };
    }
    fence_proxy_async_shared();
    sync_threads();
    let tile = Descriptor::<Bf16>::of_tile(TILE.tile(0).as_ptr().cast());
    let mut sum = Accumulator::<f32, 4>::zero();
    let mut products = sum.start();
    // SAFETY: none; that they are forgotten is what the test is about.
    unsafe { products.multiply_add(tile, tile) };
    core::mem::forget(products);
    sum.for_each(|row, column, element| {
        let index = row * 8 + column;
        if index < output.len() {
            // SAFETY: each element is one thread's.
            unsafe { output.set_unchecked(index, element) };
        }
    });
}

/// The first block of a cluster sends to the second, which has ended.
#[kernel]
#[launch_contract(dims = 1)]
pub fn sends_to_a_block_that_left() {
    shared! {
        static FROM: [Tile<[u32; 64]>; 1];
        static TO: [Tile<[u32; 64]>; 1];
        static BARRIER: Barrier<Cluster> = 1;
    }
    for i in (thread_idx_x() as usize..64).step_by(block_dim_x() as usize) {
        // SAFETY: the element is this thread's until the barrier.
        unsafe { FROM.tile(0).set(i, i as u32) };
    }
    fence_proxy_async_shared();
    sync_threads();
    if cluster::block_rank() == 0 && thread_idx_x() == 0 {
        for _ in 0..1000 {
            nanosleep(100);
        }
        // SAFETY: none; this is what the test is about.
        unsafe { bulk::copy_to_block(TO.tile(0).as_ptr(), FROM.tile(0).as_ptr(), 64, &BARRIER, 1) };
    }
}

/// The first block of a cluster arrives at a barrier of the second, which has ended.
#[kernel]
#[launch_contract(dims = 1)]
pub fn arrives_at_a_block_that_left() {
    shared! { static BARRIER: Barrier<Cluster> = 1; }
    if cluster::block_rank() == 0 && thread_idx_x() == 0 {
        for _ in 0..1000 {
            nanosleep(100);
        }
        // SAFETY: none; this is what the test is about.
        unsafe { BARRIER.of_block(1) }.arrive();
    }
}

/// Each thread sends a word to the next block, which expects `expected` bytes. The block reads the
/// words after the wait, or before it.
#[kernel]
#[launch_contract(dims = 1)]
pub fn sends_words(expected: u32, waits: bool, output: GlobalMut<u32>) {
    shared! {
        static CAME: [u32; 32];
        static BARRIER: Barrier<Cluster> = 1;
    }
    if thread_idx_x() == 0 {
        let _ = BARRIER.arrive_expect_bytes(expected);
    }
    cluster::sync_cluster();
    let (own, next) = (thread_idx_x() as usize, cluster::block_rank() ^ 1);
    // SAFETY: one thread an element, of a block that stays until the end.
    unsafe { CAME.distributed().set_async(next, own, 7, &BARRIER) };
    if waits {
        BARRIER.wait_parity(Parity::Even);
    }
    // SAFETY: none, if it does not wait; this is what the test is about.
    let came = unsafe { CAME.get(own) };
    cluster::sync_cluster();
    let at = (cluster::block_rank() * block_dim_x()) as usize + own;
    // SAFETY: an element is one thread's.
    unsafe { output.set(at, came) };
}

/// The first block of a cluster sends a word to the second, which has ended.
#[kernel]
#[launch_contract(dims = 1)]
pub fn sends_a_word_to_a_block_that_left() {
    shared! {
        static CAME: [u32; 1];
        static BARRIER: Barrier<Cluster> = 1;
    }
    if cluster::block_rank() == 0 && thread_idx_x() == 0 {
        for _ in 0..1000 {
            nanosleep(100);
        }
        // SAFETY: none; this is what the test is about.
        unsafe { CAME.distributed().add_async(1, 0, 7, &BARRIER) };
    }
}
