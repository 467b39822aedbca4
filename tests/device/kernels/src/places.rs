//! Unchecked elements by row and column, through a number that the type system shows to be the
//! thread's own, and the extent of a grid.

use lanewise_macros::{kernel, shared};
use lanewise_std::thread::{self, global_size_x, global_size_y, global_size_z};
use lanewise_std::{DisjointSlice, GlobalMut};

/// Rows and columns of a tile.
pub const SIDE: usize = 8;

/// Transposes each block's tile.
#[kernel]
#[launch_contract(dims = 1, block = (64))]
pub fn turn_tiles(input: &[u32], mut output: DisjointSlice<u32>) {
    shared! { static TILE: [[u32; SIDE + 1]; SIDE]; }
    let index = thread::index_1d().get();
    let own = index % (SIDE * SIDE);
    let (row, column) = (own / SIDE, own % SIDE);
    // SAFETY: below 8; each thread has a place of its own, and no thread reads before the barrier.
    unsafe { TILE.set_at_unchecked(row, column, input[index]) };
    thread::sync_threads();
    // SAFETY: below 8, and written before the barrier.
    let value = unsafe { TILE.get_at_unchecked(column, row) };
    // SAFETY: no two threads of a grid have one index.
    unsafe { output.write_unique(index, value) };
}

/// Threads of the grid along each axis, stored by the first of them.
#[kernel]
pub fn extents(output: GlobalMut<u32>) {
    if thread::index_1d().get() == 0 {
        for (at, size) in [global_size_x(), global_size_y(), global_size_z()]
            .into_iter()
            .enumerate()
        {
            // SAFETY: one thread writes.
            unsafe { output.set(at, size) };
        }
    }
}
