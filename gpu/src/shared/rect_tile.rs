//! A tile of shared memory that is wider than high, written and read along rows or columns.
//!
//! Launch: 2-D grid of 32 x 16 blocks; for the kernels named `dyn`, with 4 bytes of dynamic shared
//! memory for each element of 16 rows of 32, or of 32 and the padding. Each thread puts its number
//! in the block into the tile, waits, and writes what it then reads to its element of `output`;
//! elements past the end are left alone. Read the other way than written, the tile is transposed:
//! its columns become rows of 16.
//! Shows: columns and rows have different lengths, so a thread needs two positions: its place in
//! the block, where it writes, and the place of its number, where it reads. A warp reads two
//! columns of 16. Both are in one bank each, unless padding spreads them.
//! Source: Professional CUDA C Programming, chapter 5.

use lanewise_macros::{kernel, shared};
use lanewise_std::phased::ByColumns;
use lanewise_std::thread::{thread_idx_x, thread_idx_y, thread_rank};
use lanewise_std::{DisjointSlice, DynamicShared, SharedTile};

use super::square_tile::store;

/// Columns of the tile.
pub const COLUMNS: usize = 32;
/// Rows of the tile.
pub const ROWS: usize = 16;
/// The words after each row. With two, the two columns that a warp reads share no bank; with one
/// they share all but two.
pub const PADDING: usize = 2;

/// Writes along rows, reads along rows.
#[kernel]
#[launch_contract(dims = 2, block = (COLUMNS, ROWS))]
pub fn rect_row_row(output: DisjointSlice<u32>) {
    shared! { static TILE: SharedTile<u32, ROWS, COLUMNS>; }
    let tile = TILE.fill::<1>(|_, _| thread_rank());
    let (x, y) = (thread_idx_x() as usize, thread_idx_y() as usize);
    store(output, tile.get(y, x));
}

/// Writes along columns, reads along columns: the tile is stored by columns.
#[kernel]
#[launch_contract(dims = 2, block = (COLUMNS, ROWS))]
pub fn rect_col_col(output: DisjointSlice<u32>) {
    shared! { static TILE: SharedTile<u32, COLUMNS, ROWS, ROWS, ByColumns>; }
    let tile = TILE.fill::<1>(|_, _| thread_rank());
    let (x, y) = (thread_idx_x() as usize, thread_idx_y() as usize);
    store(output, tile.get(x, y));
}

/// Writes along rows, reads along columns.
#[kernel]
#[launch_contract(dims = 2, block = (COLUMNS, ROWS))]
pub fn rect_row_col(output: DisjointSlice<u32>) {
    shared! { static TILE: SharedTile<u32, ROWS, COLUMNS>; }
    let tile = TILE.fill::<1>(|_, _| thread_rank());
    let (column, row) = transposed();
    store(output, tile.get(row, column));
}

/// Does the same in dynamic shared memory, whose size the launch gives.
#[kernel]
#[launch_contract(dims = 2, block = (COLUMNS, ROWS))]
pub fn rect_row_col_dyn(output: DisjointSlice<u32>) {
    row_to_column(output, COLUMNS);
}

/// Does the same as `rect_row_col`, with [`PADDING`] words after each row.
#[kernel]
#[launch_contract(dims = 2, block = (COLUMNS, ROWS))]
pub fn rect_row_col_pad(output: DisjointSlice<u32>) {
    shared! { static TILE: SharedTile<u32, ROWS, COLUMNS, { COLUMNS + PADDING }>; }
    let tile = TILE.fill::<1>(|_, _| thread_rank());
    let (column, row) = transposed();
    store(output, tile.get(row, column));
}

/// Does the same as `rect_row_col_dyn`, with `padding` words after each row. Dynamic shared memory
/// allows several values of it.
#[kernel]
#[launch_contract(dims = 2, block = (COLUMNS, ROWS))]
pub fn rect_row_col_dyn_pad(output: DisjointSlice<u32>, padding: u32) {
    row_to_column(output, COLUMNS + padding as usize);
}

/// Returns column and row of the tile that the thread reads. Threads are numbered down the columns,
/// not along the rows.
#[inline]
fn transposed() -> (usize, usize) {
    let thread = thread_rank() as usize;
    (thread / ROWS, thread % ROWS)
}

/// Writes along rows and reads along columns of dynamic shared memory, whose rows are
/// `pitch` elements apart.
#[inline(always)]
fn row_to_column(output: DisjointSlice<u32>, pitch: usize) {
    let mut tile = DynamicShared::new().tile::<u32>(ROWS, COLUMNS, pitch);
    let tile = tile.fill::<1>(|_, _| thread_rank());
    let (column, row) = transposed();
    store(output, tile.get(row, column));
}
