//! A copy through shared memory by asynchronous copies. A barrier, or a pipeline, waits
//! for the copies.
//!
//! Launch: 1-D grid of 1-D blocks of [`TILE`] threads; for `copy_async_barrier` at least one thread
//! for each element, for `copy_async_pipeline` a grid of any size, which strides over the tiles.
//! Each kernel copies `input` to `output`, up to the shorter length. Threads store elements that
//! other threads have loaded.
//! Shows: `cp.async` copies without registers, and the thread continues meanwhile. A barrier
//! can wait for the copies of all threads. With a pipeline of 2 or 3 places the next tiles
//! are loaded while one is stored. The pipeline's types ensure that no step is left out or
//! comes too early.
//! Source: CUDA C++ Programming Guide, "Asynchronous Data Copies"; PTX ISA, "cp.async", "mbarrier".

use lanewise_macros::{kernel, shared};
use lanewise_std::barrier::{Barrier, BarrierStorage, Block, Parity};
use lanewise_std::pipeline::{Pipeline, StageStorage};
use lanewise_std::thread::{self, block_idx_x, grid_dim_x, thread_idx_x};
use lanewise_std::{DisjointSlice, GlobalMut};

/// Elements of a tile, and threads of a block.
pub const TILE: usize = 256;

/// One tile per block. A barrier for the whole block waits for the copies of all threads.
#[kernel(min_arch = "sm_80")]
#[launch_contract(dims = 1, block = (256))]
pub fn copy_async_barrier(input: &[f32], mut output: DisjointSlice<f32>) {
    shared! {
        static ELEMENTS: [f32; TILE];
        static BARRIER: [BarrierStorage; 1];
    }
    let barrier = Barrier::<Block>::init(&BARRIER, TILE as u32);
    let thread = thread_idx_x() as usize;
    let start = block_idx_x() as usize * TILE;

    // The element at the other end of the tile, which another thread stores.
    let other = TILE - 1 - thread;
    // SAFETY: each thread has an element of its own, and no thread reads it before the barrier.
    unsafe { ELEMENTS.copy_async_or_zero(other, input, start + other) };
    barrier.arrive_with_copies();
    // Work that does not need the tile could be done here.
    barrier.wait_parity(Parity::Even); // the first phase: all copies have come

    let index = thread::index_1d();
    if index.get() < input.len()
        && let Some(element) = output.get_mut(&index)
    {
        // SAFETY: copied before the barrier.
        *element = unsafe { ELEMENTS.get(thread) };
    }
}

/// Processes tile after tile, with up to `STAGES` of them in flight.
#[kernel(min_arch = "sm_80", instances(2, 3))]
#[launch_contract(dims = 1, block = (256))]
pub fn copy_async_pipeline<const STAGES: usize>(input: &[f32], output: GlobalMut<f32>) {
    shared! {
        static TILES: [[f32; TILE]; STAGES];
        static BARRIERS: [StageStorage; STAGES];
    }
    // Every thread is a producer and a consumer: it loads and stores.
    let (mut producer, mut consumer) = Pipeline::init(&BARRIERS, TILE as u32, TILE as u32).both();
    let thread = thread_idx_x() as usize;
    let other = TILE - 1 - thread;

    let tiles = input.len().div_ceil(TILE);
    let step = grid_dim_x() as usize;
    // ANCHOR: stages
    let mut load = |tile: usize| {
        let place = producer.acquire();
        if tile < tiles {
            let to = TILES.row(place.stage());
            // SAFETY: each thread has an element of its own, in a place that is empty.
            unsafe { to.copy_async_or_zero(other, input, tile * TILE + other) };
        }
        place.commit_copies();
    };
    // ANCHOR_END: stages

    let first = block_idx_x() as usize;
    for ahead in 0..STAGES {
        load(first + ahead * step);
    }
    let mut tile = first;
    // ANCHOR: tiles
    while tile < tiles {
        let place = consumer.wait();
        let i = tile * TILE + thread;
        if i < input.len().min(output.len()) {
            // SAFETY: the place is full; only this thread has the tile's element of its number.
            unsafe { output.set(i, TILES.get_at(place.stage(), thread)) };
        }
        place.release();
        load(tile + STAGES * step);
        tile += step;
    }
    // ANCHOR_END: tiles
}
