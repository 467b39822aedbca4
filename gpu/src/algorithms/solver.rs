//! Linear equations by Gauss and Jordan's elimination, with partial pivoting.
//!
//! `matrix` has `size` rows of `width` elements: the coefficients, and behind them a column for each right-hand side. For each column k in
//! turn: `pivot_partial` and `pivot_final` find the row, from k on, with the greatest element in that column; `swap_rows` puts it at k,
//! divided by that element, its *pivot*; `eliminate` takes so much of it off every other row that nothing is left of them in the
//! column. At the end the right-hand sides are the solutions. A column that has been dealt with is not read again, and holds anything.
//! `shape` is size, width and column, as far as the kernel needs them.
//! Launch: `pivot_partial`, 1-D, any shape; `pivot_final`, one 1-D block; `swap_rows`, 1-D, any shape; `eliminate`, 2-D, at least
//! `width` by `size` threads.
//! Shows: four kernels where each needs all of the one before. None waits for the host: the pivot stays on the device. Where a column has
//! no pivot, [`NO_ROW`] is put in its place, and the host looks when all is done.
//! Source: Fengchen's introduction, chapter 3; Golub and Van Loan, *Matrix Computations*, 3.4.

use lanewise_macros::{kernel, shared};
use lanewise_std::collective::{Max, block_reduce};
use lanewise_std::thread::{block_dim_x, block_idx_x, grid_stride, index_2d, thread_idx_x};
use lanewise_std::{DisjointSlice, GlobalMut};

/// Stands for the row of a pivot where there is none: all that are left are `least` or less.
pub const NO_ROW: u32 = u32::MAX;

/// Writes each block's best candidate to `keys[b]`: greater ones are greater keys, and of equals the upper row is.
#[kernel]
#[launch_contract(dims = 1)]
pub fn pivot_partial(matrix: &[f32], shape: [u32; 3], least: f32, mut keys: DisjointSlice<u64>) {
    shared! { static BEST: [u64; 32]; }
    let [size, width, column] = shape;
    let mut best = 0;
    for below in grid_stride(size.saturating_sub(column) as usize) {
        let row = column as usize + below;
        let element = matrix[row * width as usize + column as usize];
        // A NaN is greater than nothing.
        if element.abs() > least {
            best = best.max(key(element, row as u32));
        }
    }
    let best = block_reduce(best, Max, &BEST);
    if thread_idx_x() == 0 {
        // SAFETY: one thread of each block is here, and the launch is 1-D.
        if let Some(place) = unsafe { keys.get_unique_mut(block_idx_x() as usize) } {
            *place = best;
        }
    }
}

/// Writes the best of all candidates: its row to `rows[column]`, the element to `values[column]`.
#[kernel]
#[launch_contract(dims = 1)]
pub fn pivot_final(
    matrix: &[f32],
    shape: [u32; 2],
    keys: &[u64],
    mut rows: DisjointSlice<u32>,
    mut values: DisjointSlice<f32>,
) {
    shared! { static BEST: [u64; 32]; }
    let [width, column] = shape;
    let mut best = 0;
    for i in (thread_idx_x() as usize..keys.len()).step_by(block_dim_x() as usize) {
        best = best.max(keys[i]);
    }
    let best = block_reduce(best, Max, &BEST);
    if thread_idx_x() == 0 && block_idx_x() == 0 {
        let row = if best == 0 { NO_ROW } else { row_of(best) };
        let value = matrix.get(row as usize * width as usize + column as usize);
        // SAFETY: one thread of the launch is here.
        let places = unsafe {
            (
                rows.get_unique_mut(column as usize),
                values.get_unique_mut(column as usize),
            )
        };
        if let (Some(place_of_row), Some(place_of_value)) = places {
            *place_of_row = row;
            *place_of_value = value.copied().unwrap_or(0.0);
        }
    }
}

/// Puts the pivot's row at `column`, divided by the pivot, and that row in its place. A thread has a column of both.
#[kernel]
#[launch_contract(dims = 1)]
pub fn swap_rows(matrix: GlobalMut<f32>, shape: [u32; 2], rows: &[u32], values: &[f32]) {
    let [width, column] = shape;
    let (row, pivot) = (rows[column as usize], values[column as usize]);
    if row == NO_ROW {
        return;
    }
    let (upper, lower) = (
        column as usize * width as usize,
        row as usize * width as usize,
    );
    // What is left of the column is in no other row's way.
    for right in grid_stride(width.saturating_sub(column) as usize) {
        let x = column as usize + right;
        // SAFETY: threads have columns x < width of their own, and a row's elements lie within `width`.
        unsafe {
            let (from_upper, from_lower) = (matrix.get(upper + x), matrix.get(lower + x));
            matrix.set(lower + x, from_upper);
            matrix.set(upper + x, from_lower / pivot);
        }
    }
}

/// Takes so much of row `column` off each other row that nothing would be left of it in the column.
#[kernel]
#[launch_contract(dims = 2)]
pub fn eliminate(matrix: GlobalMut<f32>, shape: [u32; 3]) {
    let [size, width, column] = shape;
    let at = index_2d();
    let (x, y, width, k) = (at.x(), at.y(), width as usize, column as usize);
    // Row and column k are what the others read, and nobody writes.
    if x > k && x < width && y < size as usize && y != k {
        // SAFETY: threads with different x < width and y have different elements to write; the two others are written by none.
        unsafe {
            let taken = matrix.get(y * width + k) * matrix.get(k * width + x);
            matrix.set(y * width + x, matrix.get(y * width + x) - taken);
        }
    }
}

/// Orders candidates: floats that are not negative are in the order of their bits.
#[inline]
fn key(element: f32, row: u32) -> u64 {
    u64::from(element.abs().to_bits()) << 32 | u64::from(!row)
}

/// The row in a key.
#[inline]
fn row_of(key: u64) -> u32 {
    !(key as u32)
}
