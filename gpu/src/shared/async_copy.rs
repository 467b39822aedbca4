//! A copy through shared memory by asynchronous copies.
//!
//! Launch: 1-D grid of 1-D blocks of [`TILE`] threads; for `copy_async_barrier` at least one thread
//! for each element, for `copy_async_pipeline` a grid of any size, which strides over the tiles.
//! Each kernel copies `input` to `output`, up to the shorter length. Threads store elements that
//! other threads have loaded.
//! Shows: `cp.async` copies without registers. In a pipeline of 2 or 3 stages the next tiles are
//! loaded while one is stored, and one barrier for each tile is enough. The types ensure that no
//! step is left out or comes too early.
//! Source: CUDA C++ Programming Guide, "Asynchronous Data Copies"; PTX ISA, "cp.async".

use lanewise_macros::{kernel, shared};
use lanewise_std::thread::{self, block_idx_x, grid_dim_x, grid_stride, thread_idx_x};
use lanewise_std::{DisjointSlice, SharedLine, SharedStages};

/// Elements of a tile, and threads of a block.
pub const TILE: usize = 256;

/// One tile per block. A barrier of the block waits for the copies of all threads.
#[kernel(min_arch = "sm_80")]
#[launch_contract(dims = 1, block = (TILE))]
pub fn copy_async_barrier(input: &[f32], mut output: DisjointSlice<f32>) {
    shared! { static ELEMENTS: SharedLine<f32, TILE>; }
    let last = (block_idx_x() as usize + 1) * TILE - 1;
    // The tile is filled from its other end, so that a thread stores what another one has loaded.
    let elements = ELEMENTS.fill_by_copies::<1>(|i| input.get(last - i));
    let index = thread::index_1d();
    if index.get() < input.len()
        && let Some(element) = output.get_mut(&index)
    {
        *element = elements.get(TILE - 1 - thread_idx_x() as usize);
    }
}

/// Processes tile after tile, with `STAGES - 1` of them in flight.
#[kernel(min_arch = "sm_80", instances(2, 3))]
#[launch_contract(dims = 1, block = (TILE))]
pub fn copy_async_pipeline<const STAGES: usize>(input: &[f32], mut output: DisjointSlice<f32>) {
    shared! { static TILES: SharedStages<f32, TILE, STAGES>; }
    let (first, blocks) = (block_idx_x() as usize, grid_dim_x() as usize);
    let all = input.len().div_ceil(TILE);
    let tiles = all.saturating_sub(first).div_ceil(blocks);
    let mut own = grid_stride(input.len().min(output.len())).indices();
    TILES.for_each::<1>(
        tiles,
        |tile, i| input.get((first + tile * blocks + 1) * TILE - 1 - i),
        |_, tile| {
            if let Some(index) = own.next()
                && let Some(element) = output.get_mut(&index)
            {
                *element = tile.get(TILE - 1 - thread_idx_x() as usize);
            }
        },
    );
}
