//! Solves linear equations by Gauss and Jordan's elimination, with partial pivoting.
//!
//! `matrix` has `size` rows of `width` elements: the coefficients, followed by a column for each
//! right-hand side. The kernels process each column k in turn. `pivot_partial` and `pivot_final`
//! find the row, from k on, with the greatest element in that column. `swap_rows` moves it to row k
//! and divides it by that element, its *pivot*. `eliminate` subtracts a multiple of it from every
//! other row, which makes their elements in the column zero. At the end the right-hand sides are
//! the solutions. A processed column is not read again, and holds anything. `shape` is size, width,
//! column and the number of systems, which follow each other in `matrix`; so do the values per
//! system (`least`, keys, rows, values). Launch: blocks of 256 threads. `pivot_partial` and
//! `swap_rows`, 2-D, any shape; `pivot_final`, 1-D, any number; `eliminate`, 3-D blocks of 32 by 8,
//! at least `width` by `size` threads. Systems are along the last dimension, and each block loops
//! if there are more.
//! Shows: four kernels, each of which needs all results of the one before. The host does not wait
//! in between: the pivot stays on the device. If a column has no pivot, [`NO_ROW`] is stored in its
//! place, and the host checks this at the end.
//! Source: Fengchen's introduction, chapter 3; Golub and Van Loan, *Matrix Computations*, 3.4.

use lanewise_macros::kernel;
use lanewise_std::collective::block_reduce;
use lanewise_std::disjoint_matrix::RowPer;
use lanewise_std::thread::{
    Blocks, block_dim_x, block_dim_y, block_idx_x, block_idx_y, block_idx_z, global_idx_x,
    global_size_x, grid_dim_x, grid_dim_y, grid_dim_z, grid_stride_by_blocks, thread_idx_x,
    thread_idx_y,
};
use lanewise_std::{DisjointMatrix, GlobalMut, PerBlock};

use super::real::Real;

/// The row that is stored if there is no pivot: all remaining elements are `least` or less.
pub const NO_ROW: u32 = u32::MAX;
/// Threads of a block.
pub const THREADS: usize = 256;
/// Threads of a block of [`eliminate`], along a row and down a column.
pub const TILE: [usize; 2] = [32, 8];

/// The order of candidates: the size of the element, then the row, from the last one up. Zeros
/// are not candidates.
pub type Key = [u64; 2];

/// Writes each block's best candidate to its place in `keys`. Greater elements have greater keys,
/// and of equal elements the upper row has.
#[kernel(instances(f32, f64))]
#[launch_contract(dims = 2, block = (THREADS))]
pub fn pivot_partial<T: Real>(matrix: &[T], shape: [u32; 4], least: &[T], mut keys: PerBlock<Key>) {
    let [size, width, column, systems] = shape.map(|side| side as usize);
    let own = (block_idx_y() as usize..systems).step_by(grid_dim_y() as usize);
    // Each block along x has a candidate of the system.
    let candidates = grid_stride_by_blocks(systems * grid_dim_x() as usize);
    for (system, candidate) in own.zip(candidates) {
        let (start, least) = (system * size * width, least[system]);
        let mut best = [0; 2];
        let first = column + global_idx_x() as usize;
        for row in (first..size).step_by(global_size_x() as usize) {
            let element = matrix[start + row * width + column];
            // A comparison with a NaN is false.
            if element > least || -element > least {
                best = greater(best, [element.magnitude(), u64::from(!(row as u32))]);
            }
        }
        let best = block_reduce(best, greater);
        if let Some(place) = keys.get_mut_at(&candidate) {
            *place = best;
        }
    }
}

/// Writes the best of all candidates of a system: its row to `rows[column]`, the
/// element to `values[column]`. Both are matrices with a row of `size` elements for each system.
#[kernel(instances(f32, f64))]
#[launch_contract(dims = 1, block = (THREADS))]
pub fn pivot_final<T: Real>(
    matrix: &[T],
    shape: [u32; 4],
    keys: &[Key],
    mut rows: DisjointMatrix<u32, RowPer<Blocks>>,
    mut values: DisjointMatrix<T, RowPer<Blocks>>,
) {
    let [size, width, column, systems] = shape.map(|side| side as usize);
    let of_system = keys.len() / systems.max(1);
    for own in grid_stride_by_blocks(systems) {
        let system = own.get();
        let mut best = [0; 2];
        for i in (thread_idx_x() as usize..of_system).step_by(block_dim_x() as usize) {
            best = greater(best, keys[system * of_system + i]);
        }
        let best = block_reduce(best, greater);
        // The block's first thread has both places.
        let places = (rows.in_row(&own, column), values.in_row(&own, column));
        if let (Some(place_of_row), Some(place_of_value)) = places {
            let row = if best == [0; 2] {
                NO_ROW
            } else {
                !(best[1] as u32)
            };
            let value = matrix.get((system * size + row as usize) * width + column);
            *place_of_row = row;
            *place_of_value = value.copied().unwrap_or(T::ZERO);
        }
    }
}

/// Moves the pivot's row to `column`, divided by the pivot, and that row to the pivot's place. A
/// thread has a column of both rows.
#[kernel(instances(f32, f64))]
#[launch_contract(dims = 2, block = (THREADS))]
pub fn swap_rows<T: Real>(matrix: GlobalMut<T>, shape: [u32; 4], rows: &[u32], values: &[T]) {
    let [size, width, column, systems] = shape.map(|side| side as usize);
    for system in (block_idx_y() as usize..systems).step_by(grid_dim_y() as usize) {
        let place = system * size + column;
        let (row, pivot) = (rows[place], values[place]);
        if row == NO_ROW || row as usize >= size || column >= size {
            continue;
        }
        let (upper, lower) = (place * width, (system * size + row as usize) * width);
        // The elements before this column are not read again.
        let first = column + global_idx_x() as usize;
        for x in (first..width).step_by(global_size_x() as usize) {
            // SAFETY: each thread has columns x < width of its own, rows' elements are within
            // `width`, and systems' rows within `size`. No type has the columns of two rows as
            // owner.
            unsafe {
                let (from_upper, from_lower) = (matrix.get(upper + x), matrix.get(lower + x));
                matrix.set(lower + x, from_upper);
                matrix.set(upper + x, from_lower / pivot);
            }
        }
    }
}

/// Subtracts a multiple of row `column` from each other row, whose element there becomes zero.
#[kernel(instances(f32, f64))]
#[launch_contract(dims = 3, block = (TILE[0], TILE[1]))]
pub fn eliminate<T: Real>(matrix: GlobalMut<T>, shape: [u32; 4]) {
    let [size, width, k, systems] = shape.map(|side| side as usize);
    let x = (block_idx_x() * block_dim_x() + thread_idx_x()) as usize;
    let y = (block_idx_y() * block_dim_y() + thread_idx_y()) as usize;
    for system in (block_idx_z() as usize..systems).step_by(grid_dim_z() as usize) {
        let start = system * size * width;
        // The other threads read row and column k, and no thread writes them.
        if x > k && x < width && y < size && y != k && k < size {
            // SAFETY: threads with different x < width and y < size write different elements. No
            // thread writes the two others. No type has rows that all threads read while the others
            // are written.
            unsafe {
                let taken = matrix.get(start + y * width + k) * matrix.get(start + k * width + x);
                let place = start + y * width + x;
                matrix.set(place, matrix.get(place) - taken);
            }
        }
    }
}

/// Returns the greater of two keys.
#[inline(always)]
fn greater(a: Key, b: Key) -> Key {
    if b > a { b } else { a }
}
