//! Heat in a plate, by Jacobi's method: the steps from a first port to the version that is
//! deployed.
//!
//! `from` and `to` have `rows` rows of `columns` temperatures. A sweep gives each cell the mean of
//! its four neighbours; cells on the edge keep their temperature. Launch: `heat_by_columns`,
//! `heat_by_rows`, a 2-D grid of at least `columns` by `rows` threads (`rows` by `columns` for the
//! first); the others, blocks of 32 x 8 threads that cover the plate.
//! Shows: the same sweep three times. By columns, neighbouring lanes are a row apart, and each load
//! needs a sector for each lane; by rows they are side by side. With shared memory a block loads a
//! cell once, instead of once for each of its neighbours. The last kernel also measures how much
//! the plate still changes, so the host need not read the cells.
//! Source: Professional CUDA C Programming, chapter 10 (APOD).

use lanewise_macros::{kernel, shared};
use lanewise_std::atomic::{AtomicOrdering, DeviceAtomicU32};
use lanewise_std::collective::{Max, block_reduce};
use lanewise_std::disjoint_matrix::{DisjointMatrix, TilePerBlock, Transposed};
use lanewise_std::thread::thread_rank;
use lanewise_std::{Matrix, SharedTile};

/// Columns of a block's tile: a warp has a row.
pub const WIDTH: usize = 32;
/// Rows of a block's tile.
pub const HEIGHT: usize = 8;

/// The plate after a sweep, of which a block has a tile.
type Tiled<'a> = DisjointMatrix<'a, f32, TilePerBlock<HEIGHT, WIDTH>>;

/// Gives neighbouring lanes neighbouring cells of a *column*. A loop over columns becomes this if
/// it is ported without a change.
#[kernel]
#[launch_contract(dims = 2)]
pub fn heat_by_columns(from: Matrix<f32>, mut to: DisjointMatrix<f32, Transposed>) {
    to.fill(|row, column| next(from, row, column));
}

/// Does the same sweep with neighbouring lanes side by side.
#[kernel]
#[launch_contract(dims = 2)]
pub fn heat_by_rows(from: Matrix<f32>, mut to: DisjointMatrix<f32>) {
    to.fill(|row, column| next(from, row, column));
}

/// Each block loads its tile, and the cells around it, once.
#[kernel]
#[launch_contract(dims = 2, block = (WIDTH, HEIGHT))]
pub fn heat_tiled(from: Matrix<f32>, to: Tiled) {
    sweep(from, to);
}

/// Does the same sweep and stores the greatest change of a cell in `change`, as the bits of an
/// `f32`. The bits of non-negative numbers have the numbers' order.
#[kernel]
#[launch_contract(dims = 2, block = (WIDTH, HEIGHT))]
pub fn heat_measured(from: Matrix<f32>, to: Tiled, change: &[DeviceAtomicU32]) {
    let own = sweep(from, to);
    let greatest = block_reduce(own.to_bits(), Max);
    if thread_rank() == 0
        && let Some(change) = change.first()
    {
        change.fetch_max(greatest, AtomicOrdering::Relaxed);
    }
}

/// Returns a cell after a sweep, with its neighbours from global memory.
#[inline(always)]
fn next(from: Matrix<f32>, row: usize, column: usize) -> f32 {
    let cell = |row, column| from.get_or(row, column, 0.0);
    match is_edge(from, row, column) {
        true => cell(row, column),
        false => mean(
            cell(row - 1, column),
            cell(row + 1, column),
            cell(row, column - 1),
            cell(row, column + 1),
        ),
    }
}

/// Sweeps the block's tile, and returns how much this thread's cell has changed.
#[inline(always)]
fn sweep(from: Matrix<f32>, mut to: Tiled) -> f32 {
    shared! { static TILE: SharedTile<f32, { HEIGHT + 2 }, { WIDTH + 2 }>; }
    let (top, left) = to.corner();
    // The first row and column are those before the corner. Before the plate they wrap around to
    // places past its end.
    let tile = TILE.fill::<4>(|row, column| {
        let (row, column) = (top + row, left + column);
        from.get_or(row.wrapping_sub(1), column.wrapping_sub(1), 0.0)
    });
    let mut change = 0.0;
    to.fill_tile::<1>(|row, column| {
        let was = tile.get(row + 1, column + 1);
        if is_edge(from, top + row, left + column) {
            return was;
        }
        let next = mean(
            tile.get(row, column + 1),
            tile.get(row + 2, column + 1),
            tile.get(row + 1, column),
            tile.get(row + 1, column + 2),
        );
        change = (next - was).abs();
        next
    });
    change
}

/// Returns whether a cell keeps its temperature: it is on the edge of the plate, or outside.
#[inline(always)]
fn is_edge(plate: Matrix<f32>, row: usize, column: usize) -> bool {
    row == 0 || column == 0 || row + 1 >= plate.rows() || column + 1 >= plate.columns()
}

/// Returns the mean of a cell's neighbours, with the same bits wherever it is computed.
#[inline(always)]
fn mean(up: f32, down: f32, left: f32, right: f32) -> f32 {
    ((up + down) + (left + right)) * 0.25
}
