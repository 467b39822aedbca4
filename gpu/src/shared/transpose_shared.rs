//! Transpose of a matrix through a tile in shared memory.
//!
//! `input` has `ny` rows of `nx` columns, `output` gets `nx` rows of `ny`. Launch: 2-D grid of 32 x
//! 8 blocks; a block does a tile of 32 x 32, so the grid is `nx / 32` by `ny / 32`, rounded up. The
//! kernels named `unroll` do two tiles, one below the other: `nx / 32` by `ny / 64`. Those named
//! `dyn` have 4 bytes of dynamic shared memory for each element of the tiles, and of 32 x 33 for
//! each tile if they are padded. Any size is allowed. Reads `input` once and writes `output` once;
//! places past a slice's end are left alone.
//! Shows: rows are loaded and rows are stored, with 4 sectors per warp for both. The transpose
//! happens in shared memory. There a column of 32 floats is in one bank, and needs 32 passes. With
//! rows of 33, it is in all 32 banks, and needs one pass.
//! Source: Professional CUDA C Programming, chapter 5.

use lanewise_macros::{kernel, shared};
use lanewise_std::disjoint_matrix::{DisjointMatrix, TilePerBlock, Transposed};
use lanewise_std::{DynamicShared, Matrix, SharedTile};

/// The side of a tile.
pub const SIDE: usize = 32;
/// Rows of threads in a block.
pub const ROWS: usize = 8;
/// Tiles of a block in the kernels named `unroll`.
pub const TILES: usize = 2;

/// The output of a block that reads `HEIGHT` rows of `SIDE` elements.
type Output<'a, const HEIGHT: usize> =
    DisjointMatrix<'a, f32, TilePerBlock<SIDE, HEIGHT, Transposed>>;

/// Writes rows of the tile and reads its columns.
#[kernel]
#[launch_contract(dims = 2, block = (SIDE, ROWS))]
pub fn transpose_smem(input: Matrix<f32>, output: Output<SIDE>) {
    shared! { static TILE: SharedTile<f32, SIDE, SIDE>; }
    through::<_, _, { SIDE / ROWS }>(input, output, &mut TILE);
}

/// Pads each row of the tile by one element, so that no two elements of a column are in
/// the same bank.
#[kernel]
#[launch_contract(dims = 2, block = (SIDE, ROWS))]
pub fn transpose_smem_pad(input: Matrix<f32>, output: Output<SIDE>) {
    shared! { static TILE: SharedTile<f32, SIDE, SIDE, { SIDE + 1 }>; }
    through::<_, _, { SIDE / ROWS }>(input, output, &mut TILE);
}

/// Two tiles per block: twice as many loads in flight, and half the blocks.
#[kernel]
#[launch_contract(dims = 2, block = (SIDE, ROWS))]
pub fn transpose_smem_unroll(input: Matrix<f32>, output: Output<{ TILES * SIDE }>) {
    shared! { static PAIR: SharedTile<f32, { TILES * SIDE }, SIDE>; }
    through::<_, _, { TILES * SIDE / ROWS }>(input, output, &mut PAIR);
}

/// Does the same as `transpose_smem_unroll`, with one word of padding after each row.
#[kernel]
#[launch_contract(dims = 2, block = (SIDE, ROWS))]
pub fn transpose_smem_unroll_pad(input: Matrix<f32>, output: Output<{ TILES * SIDE }>) {
    shared! { static PAIR: SharedTile<f32, { TILES * SIDE }, SIDE, { SIDE + 1 }>; }
    through::<_, _, { TILES * SIDE / ROWS }>(input, output, &mut PAIR);
}

/// Transposes through a tile of `HEIGHT` rows, of which a thread has `STEPS` elements.
#[inline(always)]
fn through<const HEIGHT: usize, const PITCH: usize, const STEPS: usize>(
    input: Matrix<f32>,
    mut output: Output<HEIGHT>,
    tile: &mut SharedTile<f32, HEIGHT, SIDE, PITCH>,
) {
    let (left, top) = output.corner(); // rows of the output are columns of the input
    let tile = tile.fill::<STEPS>(|row, column| input.get_or(top + row, left + column, 0.0));
    output.fill_tile::<STEPS>(|row, column| tile.get(column, row));
}

/// Does the same as `transpose_smem` in dynamic shared memory, whose size the launch gives, so the
/// kernel gives the tile's.
#[kernel]
#[launch_contract(dims = 2, block = (SIDE, ROWS))]
pub fn transpose_smem_dyn(input: Matrix<f32>, output: Output<SIDE>) {
    through_dynamic::<SIDE, { SIDE / ROWS }>(input, output, SIDE);
}

/// Does the same as `transpose_smem_dyn`, with one word of padding after each row.
#[kernel]
#[launch_contract(dims = 2, block = (SIDE, ROWS))]
pub fn transpose_smem_dyn_pad(input: Matrix<f32>, output: Output<SIDE>) {
    through_dynamic::<SIDE, { SIDE / ROWS }>(input, output, SIDE + 1);
}

/// Does the same as `transpose_smem_unroll_pad`, in dynamic shared memory.
#[kernel]
#[launch_contract(dims = 2, block = (SIDE, ROWS))]
pub fn transpose_smem_unroll_pad_dyn(input: Matrix<f32>, output: Output<{ TILES * SIDE }>) {
    through_dynamic::<{ TILES * SIDE }, { TILES * SIDE / ROWS }>(input, output, SIDE + 1);
}

/// Transposes through a tile of dynamic shared memory, whose rows are `pitch` elements apart.
#[inline(always)]
fn through_dynamic<const HEIGHT: usize, const STEPS: usize>(
    input: Matrix<f32>,
    mut output: Output<HEIGHT>,
    pitch: usize,
) {
    let (left, top) = output.corner();
    let mut tile = DynamicShared::new().tile::<f32>(HEIGHT, SIDE, pitch);
    let tile = tile.fill::<STEPS>(|row, column| input.get_or(top + row, left + column, 0.0));
    output.fill_tile::<STEPS>(|row, column| tile.get(column, row));
}
