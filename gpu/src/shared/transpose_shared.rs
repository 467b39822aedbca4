//! Transpose of a matrix through a tile in shared memory.
//!
//! `input` has `ny` rows of `nx` columns, `output` gets `nx` rows of `ny`.
//! Launch: 2-D grid of 32 x 8 blocks; a block does a tile of 32 x 32, so the grid is `nx / 32` by `ny / 32`, rounded up. Any
//! size will do.
//! Reads `input` once and writes `output` once; what lies past a slice's end is left alone.
//! Shows: rows are loaded and rows are stored, 4 sectors for each warp both ways; the turn happens in shared memory. There
//! a column of 32 floats would lie in one bank; with a row of 33, it lies in all 32.
//! Source: notes 000, sections 5.4.2 and 5.4.3.

use gpu_macros::{kernel, shared};
use gpu_std::thread::{self, block_idx_x, block_idx_y, sync_threads, thread_idx_x, thread_idx_y};
use gpu_std::{DisjointSlice, gpu_assert};

/// The side of a tile.
const SIDE: usize = 32;
/// Rows of threads in a block: each thread does `SIDE / ROWS` elements.
const ROWS: usize = 8;

/// Rows of the tile are one longer than they need to be, so that a column has no two elements in a bank.
#[kernel]
pub fn transpose_smem_pad(input: &[f32], mut output: DisjointSlice<f32>, nx: u32, ny: u32) {
    gpu_assert!(
        thread::launch_is_2d_of(SIDE as u32, ROWS as u32),
        "launch a 2-D grid of 32 x 8 blocks"
    );
    shared! { static TILE: [[f32; SIDE + 1]; SIDE]; }
    let (column, row) = (thread_idx_x() as usize, thread_idx_y() as usize);
    let (nx, ny) = (nx as usize, ny as usize);

    let (left, top) = (block_idx_x() as usize * SIDE, block_idx_y() as usize * SIDE);
    let (x, y) = (left + column, top + row);
    for step in (0..SIDE).step_by(ROWS) {
        let inside = x < nx && y + step < ny;
        let element = if inside {
            input.get(y * nx + x + step * nx)
        } else {
            None
        };
        // SAFETY: each thread sets elements of its own, and reads others' after the barrier.
        unsafe { TILE.set_at(row + step, column, element.copied().unwrap_or(0.0)) };
    }
    sync_threads(); // a row of the output is a column of the tile, which other threads have set

    let (x, y) = (top + column, left + row);
    for step in (0..SIDE).step_by(ROWS) {
        if x < ny && y + step < nx {
            // SAFETY: blocks have tiles of their own; threads with different x < ny and y have different elements.
            if let Some(element) = unsafe { output.get_unique_mut(y * ny + x + step * ny) } {
                // SAFETY: set before the barrier, as all of the tile is.
                *element = unsafe { TILE.get_at(column, row + step) };
            }
        }
    }
}
