//! Writes the columns of a matrix as rows.
//!
//! A block has a tile of 64 x 64 elements. Its threads read sixteen bytes of a row each, put them
//! into shared memory, and write sixteen bytes of a row of the result each: 256 bytes of each row.

use lanewise_macros::{kernel, shared};
use lanewise_std::DisjointSlice;
use lanewise_std::thread::{block_idx_x, block_stride, sync_threads, thread_idx_x};

use super::sixteen::{Number, Places, are_whole};

/// The number of threads in a block.
pub const BLOCK: u32 = 256;
/// Rows and columns of a tile.
pub const SIDE: usize = 64;
/// The distance of two rows in shared memory: rows begin in different banks.
const PITCH: usize = SIDE + 1;

/// Writes the transpose of `input`, which has `rows` rows of `columns` elements of 32 bits.
#[kernel(instances(f32, i32, u32))]
#[launch_contract(dims = 1, block = 256)]
pub fn transpose<T: Number>(input: &[T], mut output: DisjointSlice<T>, rows: u32, columns: u32) {
    shared! { static TILE: [T; SIDE * PITCH]; }
    // Blocks that follow each other are below each other, and write neighbours.
    let down = rows.div_ceil(SIDE as u32);
    let top = (block_idx_x() % down) as usize * SIDE;
    let left = (block_idx_x() / down) as usize * SIDE;
    let (rows, columns) = (rows as usize, columns as usize);
    let (lane, line) = (
        thread_idx_x() as usize % 16 * 4,
        thread_idx_x() as usize / 16,
    );
    let are_rows_aligned = rows % T::LANES == 0 && columns % T::LANES == 0;
    let is_inside = top + SIDE <= rows && left + SIDE <= columns && are_rows_aligned;
    if is_inside && are_whole(input, &mut output, rows * columns) {
        let from = Places {
            first: (top + line) * columns + left + lane,
            step: 16 * columns,
        };
        // SAFETY: the whole tile is in the matrix, and its rows are aligned.
        let values = unsafe { from.load::<true, T, _, 4>(input, T::LEAST.splat()) };
        for (step, four) in values.iter().enumerate() {
            for (k, value) in four.as_ref().iter().enumerate() {
                // SAFETY: each thread has its own elements, and a barrier comes before the reads.
                unsafe { TILE.set((line + step * 16) * PITCH + lane + k, *value) };
            }
        }
        sync_threads();
        let mut values = values;
        for (step, four) in values.iter_mut().enumerate() {
            for (k, value) in four.as_mut().iter_mut().enumerate() {
                // SAFETY: set before the barrier, and not again.
                *value = unsafe { TILE.get((lane + k) * PITCH + line + step * 16) };
            }
        }
        let to = Places {
            first: (left + line) * rows + top + lane,
            step: 16 * rows,
        };
        let end = output.len();
        // SAFETY: each thread has elements of its own.
        unsafe { to.store::<true, T, 4>(&mut output, end, values) };
        return;
    }
    for i in block_stride(SIDE * SIDE) {
        let (row, column) = (i / SIDE, i % SIDE);
        if top + row < rows && left + column < columns {
            let value = input[(top + row) * columns + left + column];
            // SAFETY: each thread has its own elements, and a barrier comes before the reads.
            unsafe { TILE.set(row * PITCH + column, value) };
        }
    }
    sync_threads();
    for i in block_stride(SIDE * SIDE) {
        let (column, row) = (i / SIDE, i % SIDE);
        if top + row < rows && left + column < columns {
            // SAFETY: set before the barrier, and not again; each thread has elements of its own.
            unsafe {
                output.write_unique(
                    (left + column) * rows + top + row,
                    TILE.get(row * PITCH + column),
                )
            };
        }
    }
}
