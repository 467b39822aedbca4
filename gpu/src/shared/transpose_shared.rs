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
//! Source: CUDA study notes, sections 5.4.2 to 5.4.4.

use core::array::from_fn;

use lanewise_macros::{kernel, shared};
use lanewise_std::thread::{block_idx_x, block_idx_y, sync_threads, thread_idx_x, thread_idx_y};
use lanewise_std::{DisjointSlice, DynamicSharedArray, SharedTile, gpu_assert};

/// The side of a tile.
pub const SIDE: usize = 32;
/// Rows of threads in a block.
pub const ROWS: usize = 8;
/// Tiles of a block in the kernels named `unroll`.
pub const TILES: usize = 2;
/// The number of a tile's elements that a thread moves, `ROWS` rows apart.
const STEPS: usize = SIDE / ROWS;

/// Writes rows of the tile and reads its columns.
#[kernel]
#[launch_contract(dims = 2, block = (SIDE, ROWS))]
pub fn transpose_smem(input: &[f32], mut output: DisjointSlice<f32>, nx: u32, ny: u32) {
    shared! { static TILE: SharedTile<f32, SIDE, SIDE>; }
    let (left, top) = corner::<1>();
    let input = Input::of_column(input, nx, ny, left);
    let tile = TILE.fill::<STEPS>(|row, _| input.element(top + row));

    // A row of the output is a column of the tile, which other threads have filled.
    let (column, row) = (thread_idx_x() as usize, thread_idx_y() as usize);
    let elements = from_fn(|step| tile.get(column, row + step * ROWS));
    // SAFETY: each block has a tile of its own.
    unsafe { store(&mut output, nx, ny, left, top, elements) };
}

/// Does the same in dynamic shared memory, whose size the launch gives. It has one dimension, so
/// the kernel computes the indices.
#[kernel]
#[launch_contract(dims = 2, block = (SIDE, ROWS))]
pub fn transpose_smem_dyn(input: &[f32], output: DisjointSlice<f32>, nx: u32, ny: u32) {
    through_dynamic::<1>(input, output, nx, ny, SIDE);
}

/// Pads each row of the tile by one element, so that no two elements of a column are in
/// the same bank.
#[kernel]
#[launch_contract(dims = 2, block = (SIDE, ROWS))]
pub fn transpose_smem_pad(input: &[f32], mut output: DisjointSlice<f32>, nx: u32, ny: u32) {
    shared! { static TILE: SharedTile<f32, SIDE, SIDE, { SIDE + 1 }>; }
    let (left, top) = corner::<1>();
    let input = Input::of_column(input, nx, ny, left);
    let tile = TILE.fill::<STEPS>(|row, _| input.element(top + row));

    // A row of the output is a column of the tile, which other threads have filled.
    let (column, row) = (thread_idx_x() as usize, thread_idx_y() as usize);
    let elements = from_fn(|step| tile.get(column, row + step * ROWS));
    // SAFETY: each block has a tile of its own.
    unsafe { store(&mut output, nx, ny, left, top, elements) };
}

/// Does the same as `transpose_smem_dyn`, with one word of padding after each row.
#[kernel]
#[launch_contract(dims = 2, block = (SIDE, ROWS))]
pub fn transpose_smem_dyn_pad(input: &[f32], output: DisjointSlice<f32>, nx: u32, ny: u32) {
    through_dynamic::<1>(input, output, nx, ny, SIDE + 1);
}

/// Two tiles per block: twice as many loads in flight, and half the blocks.
#[kernel]
#[launch_contract(dims = 2, block = (SIDE, ROWS))]
pub fn transpose_smem_unroll(input: &[f32], mut output: DisjointSlice<f32>, nx: u32, ny: u32) {
    shared! { static PAIR: SharedTile<f32, { TILES * SIDE }, SIDE>; }
    let (left, top) = corner::<TILES>();
    let input = Input::of_column(input, nx, ny, left);
    // All loads are issued before the first is waited for.
    let pair = PAIR.fill::<{ TILES * STEPS }>(|row, _| input.element(top + row));

    // A row of the output is a column of a tile, which other threads have filled.
    let (column, row) = (thread_idx_x() as usize, thread_idx_y() as usize);
    for tile in 0..TILES {
        let at = |step| pair.get(tile * SIDE + column, row + step * ROWS);
        // SAFETY: each block has tiles of its own.
        unsafe { store(&mut output, nx, ny, left, top + tile * SIDE, from_fn(at)) };
    }
}

/// Does the same as `transpose_smem_unroll`, with one word of padding after each row.
#[kernel]
#[launch_contract(dims = 2, block = (SIDE, ROWS))]
pub fn transpose_smem_unroll_pad(input: &[f32], mut output: DisjointSlice<f32>, nx: u32, ny: u32) {
    shared! { static PAIR: SharedTile<f32, { TILES * SIDE }, SIDE, { SIDE + 1 }>; }
    let (left, top) = corner::<TILES>();
    let input = Input::of_column(input, nx, ny, left);
    // All loads are issued before the first is waited for.
    let pair = PAIR.fill::<{ TILES * STEPS }>(|row, _| input.element(top + row));

    // A row of the output is a column of a tile, which other threads have filled.
    let (column, row) = (thread_idx_x() as usize, thread_idx_y() as usize);
    for tile in 0..TILES {
        let at = |step| pair.get(tile * SIDE + column, row + step * ROWS);
        // SAFETY: each block has tiles of its own.
        unsafe { store(&mut output, nx, ny, left, top + tile * SIDE, from_fn(at)) };
    }
}

/// Does the same as `transpose_smem_unroll_pad`, in dynamic shared memory.
#[kernel]
#[launch_contract(dims = 2, block = (SIDE, ROWS))]
pub fn transpose_smem_unroll_pad_dyn(input: &[f32], output: DisjointSlice<f32>, nx: u32, ny: u32) {
    through_dynamic::<TILES>(input, output, nx, ny, SIDE + 1);
}

/// Transposes through `N` tiles of dynamic shared memory, whose rows are
/// `pitch` elements apart.
#[inline(always)]
fn through_dynamic<const N: usize>(
    input: &[f32],
    mut output: DisjointSlice<f32>,
    nx: u32,
    ny: u32,
    pitch: usize,
) {
    let tiles = DynamicSharedArray::<f32>::get();
    gpu_assert!(
        tiles.len() >= N * SIDE * pitch,
        "the launch gave too little shared memory for the tiles"
    );
    let (column, row) = (thread_idx_x() as usize, thread_idx_y() as usize);
    let (left, top) = corner::<N>();

    let input = Input::of_column(input, nx, ny, left);
    let elements: [[f32; STEPS]; N] =
        from_fn(|tile| from_fn(|step| input.element(top + tile * SIDE + row + step * ROWS)));
    for (tile, elements) in elements.iter().enumerate() {
        for (step, &element) in elements.iter().enumerate() {
            let at = (tile * SIDE + row + step * ROWS) * pitch + column;
            // SAFETY: in bounds, as there is room for all rows; each thread sets elements
            // of its own.
            unsafe { tiles.set_unchecked(at, element) };
        }
    }
    sync_threads(); // a row of the output is a column of a tile, which other threads have set

    for tile in 0..N {
        let at = |step| {
            let at = (tile * SIDE + column) * pitch + row + step * ROWS;
            // SAFETY: in bounds, and all of the tiles were set before the barrier.
            unsafe { tiles.get_unchecked(at) }
        };
        // SAFETY: each block has tiles of its own.
        unsafe { store(&mut output, nx, ny, left, top + tile * SIDE, from_fn(at)) };
    }
}

/// Returns the column and the row of the input at which this block's tiles begin. The block has `N`
/// tiles, one below the other.
#[inline(always)]
fn corner<const N: usize>() -> (usize, usize) {
    (
        block_idx_x() as usize * SIDE,
        block_idx_y() as usize * SIDE * N,
    )
}

/// The column of the input that a thread loads from.
struct Input<'a> {
    /// The elements up to the end of the matrix. There are none for a thread past the right edge,
    /// so that one check of the index is enough for each element.
    elements: &'a [f32],
    x: usize,
    nx: usize,
}

impl<'a> Input<'a> {
    /// Returns the thread's column of the tile at `left`.
    #[inline(always)]
    fn of_column(elements: &'a [f32], nx: u32, ny: u32, left: usize) -> Self {
        let (x, nx, ny) = (left + thread_idx_x() as usize, nx as usize, ny as usize);
        let end = if x < nx {
            (nx * ny).min(elements.len())
        } else {
            0
        };
        Input {
            elements: &elements[..end],
            x,
            nx,
        }
    }

    /// Returns the element in row `y`, or zero outside of the input.
    #[inline(always)]
    fn element(&self, y: usize) -> f32 {
        let element = self.elements.get(y * self.nx + self.x);
        element.copied().unwrap_or(0.0)
    }
}

/// Stores this thread's elements of the transposed tile, along rows of the output. The tile at
/// `left` and `top` begins at `top` and `left` there. Elements outside are left out.
///
/// # Safety
/// Each block of the launch, which is 2-D with blocks of 32 x 8, calls it with corners of its own.
#[inline(always)]
unsafe fn store(
    output: &mut DisjointSlice<f32>,
    nx: u32,
    ny: u32,
    left: usize,
    top: usize,
    elements: [f32; STEPS],
) {
    let (nx, ny) = (nx as usize, ny as usize);
    let (x, y) = (
        top + thread_idx_x() as usize,
        left + thread_idx_y() as usize,
    );
    // As in `Input`, only one check of the index remains for each element.
    let end = if x < ny {
        (nx * ny).min(output.len())
    } else {
        0
    };
    for (step, &element) in elements.iter().enumerate() {
        let index = (y + step * ROWS) * ny + x;
        if index < end {
            // SAFETY: in bounds. Threads with different x < ny and y have different elements, and
            // these are the thread's own.
            unsafe { *output.as_mut_ptr().add(index) = element };
        }
    }
}
