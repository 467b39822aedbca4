//! Heat in a plate, by Jacobi's method: the steps from a first port to the version
//! that is deployed.
//!
//! `from` and `to` have `rows` rows of `columns` temperatures; `shape` is columns and rows. A sweep
//! gives each cell the mean of its four neighbours; cells on the edge keep their temperature. Cells
//! past the end of a slice are skipped. Launch: `heat_by_columns`, `heat_by_rows`, a 2-D grid of at
//! least `columns` by `rows` threads (`rows` by `columns` for the first); the others, blocks of 32
//! x 8 threads that cover the plate.
//! Shows: the same sweep three times. By columns, neighbouring lanes are a row apart, and each load
//! needs a sector for each lane; by rows they are side by side. With shared memory a block loads a
//! cell once, instead of once for each of its neighbours. The last kernel also measures how much
//! the plate still changes, so the host need not read the cells.
//! Source: CUDA study notes, section 10.1.1 (APOD).

use lanewise_macros::{kernel, shared};
use lanewise_std::atomic::{AtomicOrdering, DeviceAtomicU32};
use lanewise_std::collective::{Max, block_reduce};
use lanewise_std::thread::{
    block_idx_x, block_idx_y, index_2d, sync_threads, thread_idx_x, thread_idx_y,
};
use lanewise_std::{DisjointSlice, SharedArray};

/// Columns of a block's tile: a warp has a row.
pub const WIDTH: usize = 32;
/// Rows of a block's tile.
pub const HEIGHT: usize = 8;

/// The tile and the cells around it.
type Tile = SharedArray<[f32; WIDTH + 2], { HEIGHT + 2 }>;

/// Gives neighbouring lanes neighbouring cells of a *column*. A loop over columns becomes this if
/// it is ported without a change.
#[kernel]
#[launch_contract(dims = 2)]
pub fn heat_by_columns(from: &[f32], mut to: DisjointSlice<f32>, shape: [u32; 2]) {
    let index = index_2d();
    // SAFETY: threads have different places, and so different cells.
    unsafe { sweep(from, &mut to, shape, (index.y(), index.x())) };
}

/// Does the same sweep with neighbouring lanes side by side.
#[kernel]
#[launch_contract(dims = 2)]
pub fn heat_by_rows(from: &[f32], mut to: DisjointSlice<f32>, shape: [u32; 2]) {
    let index = index_2d();
    // SAFETY: threads have different places, and so different cells.
    unsafe { sweep(from, &mut to, shape, (index.x(), index.y())) };
}

/// Each block loads its tile, and the cells around it, once.
#[kernel]
#[launch_contract(dims = 2, block = (WIDTH, HEIGHT))]
pub fn heat_tiled(from: &[f32], mut to: DisjointSlice<f32>, shape: [u32; 2]) {
    shared! { static TILE: [[f32; WIDTH + 2]; HEIGHT + 2]; }
    load(from, shape, &TILE);
    sync_threads(); // the tile is whole
    // SAFETY: the barrier is after the loads, and each thread has a cell of its own.
    unsafe { sweep_tile(&TILE, &mut to, shape) };
}

/// Does the same sweep and stores the greatest change of a cell in `change`, as the bits of an
/// `f32`. The bits of non-negative numbers have the numbers' order.
#[kernel]
#[launch_contract(dims = 2, block = (WIDTH, HEIGHT))]
pub fn heat_measured(
    from: &[f32],
    mut to: DisjointSlice<f32>,
    shape: [u32; 2],
    change: &[DeviceAtomicU32],
) {
    shared! { static TILE: [[f32; WIDTH + 2]; HEIGHT + 2]; }
    load(from, shape, &TILE);
    sync_threads(); // the tile is whole
    // SAFETY: the barrier is after the loads, and each thread has a cell of its own.
    let own = unsafe { sweep_tile(&TILE, &mut to, shape) };
    let greatest = block_reduce(own.to_bits(), Max);
    if thread_idx_x() == 0
        && thread_idx_y() == 0
        && let Some(change) = change.first()
    {
        change.fetch_max(greatest, AtomicOrdering::Relaxed);
    }
}

/// Computes a cell of a sweep through global memory.
///
/// # Safety
/// No other thread has this place.
#[inline(always)]
unsafe fn sweep(
    from: &[f32],
    to: &mut DisjointSlice<f32>,
    shape: [u32; 2],
    (x, y): (usize, usize),
) {
    let [columns, rows] = shape.map(|side| side as usize);
    if x >= columns || y >= rows {
        return;
    }
    let at = y * columns + x;
    let cell = |at: usize| from.get(at).copied().unwrap_or(0.0);
    let is_edge = x == 0 || y == 0 || x + 1 == columns || y + 1 == rows;
    let next = match is_edge {
        true => cell(at),
        false => mean(
            cell(at - columns),
            cell(at + columns),
            cell(at - 1),
            cell(at + 1),
        ),
    };
    // SAFETY: as the caller guarantees; places with x below `columns` have different cells.
    if let Some(to) = unsafe { to.get_unique_mut(at) } {
        *to = next;
    }
}

/// Loads the block's tile and those cells around it that exist.
#[inline(always)]
fn load(from: &[f32], shape: [u32; 2], tile: &Tile) {
    let [columns, rows] = shape.map(|side| side as usize);
    let (across, down) = (thread_idx_x() as usize, thread_idx_y() as usize);
    let (x, y) = place();
    let bring = |column: usize, row: usize, x: Option<usize>, y: Option<usize>| {
        let inside = |at: Option<usize>, side| at.filter(|at| *at < side);
        let cell = match (inside(x, columns), inside(y, rows)) {
            (Some(x), Some(y)) => from.get(y * columns + x).copied().unwrap_or(0.0),
            _ => 0.0,
        };
        // SAFETY: each place of the tile has one thread that sets it, before the barrier.
        unsafe { tile.set_at(row, column, cell) };
    };
    bring(across + 1, down + 1, Some(x), Some(y));
    if down == 0 {
        bring(across + 1, 0, Some(x), y.checked_sub(1));
    }
    if down == HEIGHT - 1 {
        bring(across + 1, HEIGHT + 1, Some(x), Some(y + 1));
    }
    if across == 0 {
        bring(0, down + 1, x.checked_sub(1), Some(y));
    }
    if across == WIDTH - 1 {
        bring(WIDTH + 1, down + 1, Some(x + 1), Some(y));
    }
}

/// Computes a cell of a sweep from the tile, and returns how much it changed.
///
/// # Safety
/// The tile is complete, and no thread writes to it any more. The launch is 2-D with blocks of
/// the tile's size.
#[inline(always)]
unsafe fn sweep_tile(tile: &Tile, to: &mut DisjointSlice<f32>, shape: [u32; 2]) -> f32 {
    let [columns, rows] = shape.map(|side| side as usize);
    let (column, row) = (thread_idx_x() as usize + 1, thread_idx_y() as usize + 1);
    let (x, y) = place();
    if x >= columns || y >= rows {
        return 0.0;
    }
    // SAFETY: as the caller guarantees; a thread's own place and those around it are in the tile.
    let cell = |row: usize, column: usize| unsafe { tile.get_at(row, column) };
    let was = cell(row, column);
    let is_edge = x == 0 || y == 0 || x + 1 == columns || y + 1 == rows;
    let next = match is_edge {
        true => was,
        false => mean(
            cell(row - 1, column),
            cell(row + 1, column),
            cell(row, column - 1),
            cell(row, column + 1),
        ),
    };
    // SAFETY: each block has a tile of its own, and each thread a cell of its own.
    if let Some(to) = unsafe { to.get_unique_mut(y * columns + x) } {
        *to = next;
    }
    (next - was).abs()
}

/// Returns the thread's place in the plate.
#[inline(always)]
fn place() -> (usize, usize) {
    (
        block_idx_x() as usize * WIDTH + thread_idx_x() as usize,
        block_idx_y() as usize * HEIGHT + thread_idx_y() as usize,
    )
}

/// Returns the mean of a cell's neighbours, with the same bits wherever it is computed.
#[inline(always)]
fn mean(up: f32, down: f32, left: f32, right: f32) -> f32 {
    ((up + down) + (left + right)) * 0.25
}
