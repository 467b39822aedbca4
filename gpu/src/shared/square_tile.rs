//! A square tile of shared memory, written and read along rows or columns.
//!
//! Launch: 2-D grid of 32 x 32 blocks; for the kernels named `dyn`, with 4 bytes of dynamic shared
//! memory for each of 32 x 32 elements, or of 32 x 33 if they are padded. Each thread stores its
//! number in the block in the tile, waits, and writes what it then reads to its element of
//! `output`; elements past the end are left alone. If it is read in the other direction than
//! written, the tile is transposed.
//! Shows: a warp is a row of the block. Its 32 accesses along a row of the tile are in 32 banks,
//! and need one pass. Along a column they are all in one bank, and need 32 passes. With one word of
//! padding after each row, a column is in 32 banks too.
//! Source: Professional CUDA C Programming, chapter 5.

use lanewise_macros::{kernel, shared};
use lanewise_std::phased::ByColumns;
use lanewise_std::thread::{index_1d, thread_idx_x, thread_idx_y, thread_rank};
use lanewise_std::{DisjointSlice, DynamicShared, SharedTile};

/// Rows and columns of the tile.
pub const SIDE: usize = 32;

/// Writes along rows, reads along rows.
#[kernel]
#[launch_contract(dims = 2, block = (SIDE, SIDE))]
pub fn square_row_row(output: DisjointSlice<u32>) {
    shared! { static TILE: SharedTile<u32, SIDE, SIDE>; }
    let tile = TILE.fill::<1>(|_, _| thread_rank());
    let (x, y) = (thread_idx_x() as usize, thread_idx_y() as usize);
    store(output, tile.get(y, x));
}

/// Writes along columns, reads along columns.
#[kernel]
#[launch_contract(dims = 2, block = (SIDE, SIDE))]
pub fn square_col_col(output: DisjointSlice<u32>) {
    shared! { static TILE: SharedTile<u32, SIDE, SIDE, SIDE, ByColumns>; }
    let tile = TILE.fill::<1>(|_, _| thread_rank());
    let (x, y) = (thread_idx_x() as usize, thread_idx_y() as usize);
    store(output, tile.get(x, y));
}

/// Writes along rows, reads along columns.
#[kernel]
#[launch_contract(dims = 2, block = (SIDE, SIDE))]
pub fn square_row_col(output: DisjointSlice<u32>) {
    shared! { static TILE: SharedTile<u32, SIDE, SIDE>; }
    let tile = TILE.fill::<1>(|_, _| thread_rank());
    let (x, y) = (thread_idx_x() as usize, thread_idx_y() as usize);
    store(output, tile.get(x, y));
}

/// Does the same in dynamic shared memory, whose size the launch gives, so the kernel
/// gives the tile's.
#[kernel]
#[launch_contract(dims = 2, block = (SIDE, SIDE))]
pub fn square_row_col_dyn(output: DisjointSlice<u32>) {
    row_to_column(output, SIDE);
}

/// Does the same as `square_row_col`, with one word of padding after each row.
#[kernel]
#[launch_contract(dims = 2, block = (SIDE, SIDE))]
pub fn square_row_col_pad(output: DisjointSlice<u32>) {
    shared! { static TILE: SharedTile<u32, SIDE, SIDE, { SIDE + 1 }>; }
    let tile = TILE.fill::<1>(|_, _| thread_rank());
    let (x, y) = (thread_idx_x() as usize, thread_idx_y() as usize);
    store(output, tile.get(x, y));
}

/// Does the same as `square_row_col_dyn`, with one word of padding after each row.
#[kernel]
#[launch_contract(dims = 2, block = (SIDE, SIDE))]
pub fn square_row_col_dyn_pad(output: DisjointSlice<u32>) {
    row_to_column(output, SIDE + 1);
}

/// Writes along rows and reads along columns of dynamic shared memory, whose rows are
/// `pitch` elements apart.
#[inline(always)]
fn row_to_column(output: DisjointSlice<u32>, pitch: usize) {
    let mut tile = DynamicShared::new().tile::<u32>(SIDE, SIDE, pitch);
    let tile = tile.fill::<1>(|_, _| thread_rank());
    let (x, y) = (thread_idx_x() as usize, thread_idx_y() as usize);
    store(output, tile.get(x, y));
}

/// Writes to the element that has this thread's number in the grid.
#[inline]
pub(super) fn store(mut output: DisjointSlice<u32>, value: u32) {
    if let Some(element) = output.get_mut(index_1d()) {
        *element = value;
    }
}
