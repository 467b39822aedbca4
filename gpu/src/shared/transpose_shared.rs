//! Transpose of a matrix through a tile in shared memory.
//!
//! `input` has `ny` rows of `nx` columns, `output` gets `nx` rows of `ny`.
//! Launch: 2-D grid of 32 x 8 blocks; a block does a tile of 32 x 32, so the grid is `nx / 32` by `ny / 32`, rounded up. Any
//! size will do.
//! Reads `input` once and writes `output` once; what lies past a slice's end is left alone.
//! Shows: rows are loaded and rows are stored, 4 sectors for each warp both ways; the turn happens in shared memory. There
//! a column of 32 floats would lie in one bank; with a row of 33, it lies in all 32.
//! Source: CUDA study notes, sections 5.4.2 and 5.4.3.

use core::array::from_fn;

use lanewise_macros::{kernel, shared};
use lanewise_std::DisjointSlice;
use lanewise_std::thread::{block_idx_x, block_idx_y, sync_threads, thread_idx_x, thread_idx_y};

/// The side of a tile.
const SIDE: u32 = 32;
/// Rows of threads in a block.
const ROWS: u32 = 8;
/// Elements that a thread does, `ROWS` rows apart.
const STEPS: usize = (SIDE / ROWS) as usize;

/// Rows of the tile are one longer than they need to be, so that a column has no two elements in a bank.
#[kernel]
#[launch_contract(dims = 2, block = (SIDE, ROWS))]
pub fn transpose_smem_pad(input: &[f32], mut output: DisjointSlice<f32>, nx: u32, ny: u32) {
    shared! { static TILE: [[f32; SIDE as usize + 1]; SIDE as usize]; }
    let (column, row) = (thread_idx_x(), thread_idx_y());
    let (left, top) = (block_idx_x() * SIDE, block_idx_y() * SIDE);
    let size = nx as usize * ny as usize;

    let (x, y) = (left + column, top + row);
    // A thread past the right edge has nothing to load; one past the lower edge has an index past the end.
    let input = &input[..if x < nx { size.min(input.len()) } else { 0 }];
    // All loads are on their way before the first is waited for.
    let elements: [f32; STEPS] = from_fn(|step| {
        let y = y + step as u32 * ROWS;
        input
            .get(y as usize * nx as usize + x as usize)
            .copied()
            .unwrap_or(0.0)
    });
    for (step, element) in elements.into_iter().enumerate() {
        // SAFETY: each thread sets elements of its own, and reads others' after the barrier.
        unsafe {
            TILE.set_at(
                (row + step as u32 * ROWS) as usize,
                column as usize,
                element,
            )
        };
    }
    sync_threads(); // a row of the output is a column of the tile, which other threads have set

    let (x, y) = (top + column, left + row);
    output.truncate(if x < ny { size } else { 0 });
    for step in (0..SIDE).step_by(ROWS as usize) {
        let index = (y + step) as usize * ny as usize + x as usize;
        // SAFETY: blocks have tiles of their own; threads with different x < ny and y have different elements.
        if let Some(element) = unsafe { output.get_unique_mut(index) } {
            // SAFETY: set before the barrier, as all of the tile is.
            *element = unsafe { TILE.get_at(column as usize, (row + step) as usize) };
        }
    }
}
