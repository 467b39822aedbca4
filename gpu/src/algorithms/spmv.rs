//! The product of a sparse matrix and a vector, in compressed rows.
//!
//! `y = A x`: the elements of row r are `values[starts[r]..starts[r + 1]]`, in the columns of the
//! same places of `columns`. `A` has one row less than `starts` elements; rows may be empty, and of
//! any length. What a start or a column points past is left out. Launch: 1-D grid of 1-D blocks of
//! whole warps, any number of them.
//! Shows: with a thread a row, neighbouring threads load elements of different rows, and a long row
//! keeps 31 others waiting. With a warp a row the loads fall together, and a short row leaves most
//! lanes idle. So a warp is cut into pieces of `LANES` lanes, as many as suit the rows.
//! Source: CUDA study notes, chapter 8 (cuSPARSE); Bell and Garland, "Efficient Sparse
//! Matrix-Vector Multiplication on CUDA", 2008.

use core::array::from_fn;

use lanewise_macros::kernel;
use lanewise_std::DisjointSlice;
use lanewise_std::thread::{block_idx_x, grid_dim_x, grid_stride};
use lanewise_std::unroll::unroll;
use lanewise_std::warp::{
    FULL_MASK, WARP_SIZE, lane_id, shuffle_xor_sync, warp_id, warps_per_block,
};

use super::real::Real;

/// Elements of a lane whose loads are under way at once.
const UNROLL: usize = 4;

/// A thread for each row.
#[kernel(instances(f32, f64))]
#[launch_contract(dims = 1, whole_warps)]
pub fn spmv_csr<T: Real>(
    starts: &[u32],
    columns: &[u32],
    values: &[T],
    x: &[T],
    mut y: DisjointSlice<T>,
) {
    for row in grid_stride(starts.len().saturating_sub(1)) {
        // SAFETY: `starts` has one element more than there are rows.
        let sum = unsafe { part_of_row((starts, columns, values), x, row, 0, 1) };
        // SAFETY: no other thread of the grid has this row.
        if let Some(y) = unsafe { y.get_unique_mut(row) } {
            *y = sum;
        }
    }
}

/// `LANES` lanes of a warp for each row.
#[kernel(instances((f32, 4), (f32, 8), (f32, 16), (f32, 32), (f64, 4), (f64, 8), (f64, 16), (f64, 32)))]
#[launch_contract(dims = 1, whole_warps)]
pub fn spmv_csr_warp<T: Real, const LANES: u32>(
    starts: &[u32],
    columns: &[u32],
    values: &[T],
    x: &[T],
    mut y: DisjointSlice<T>,
) {
    let rows = starts.len().saturating_sub(1);
    let rows_of_warp = const { (WARP_SIZE / LANES) as usize };
    let warp = block_idx_x() as usize * warps_per_block() as usize + warp_id() as usize;
    let step = grid_dim_x() as usize * warps_per_block() as usize * rows_of_warp;
    let (piece, lane) = ((lane_id() / LANES) as usize, lane_id() % LANES);
    // A warp goes round as a whole, so that all its lanes are there for the shuffles.
    for first in (warp * rows_of_warp..rows).step_by(step) {
        let row = first + piece;
        let mut sum = T::ZERO;
        if row < rows {
            // SAFETY: `starts` has one element more than there are rows.
            sum = unsafe { part_of_row((starts, columns, values), x, row, lane, LANES) };
        }
        unroll::<5>(|i| {
            if 16 >> i < LANES {
                sum += shuffle_xor_sync(FULL_MASK, sum, 16 >> i);
            }
        });
        if lane == 0 {
            // SAFETY: one lane of those that have this row.
            if let Some(y) = unsafe { y.get_unique_mut(row) } {
                *y = sum;
            }
        }
    }
}

/// What every `step`-th element of a row, from `first` on, adds to the row's sum.
///
/// # Safety
/// `starts` has an element behind that of the row.
#[inline(always)]
unsafe fn part_of_row<T: Real>(
    (starts, columns, values): (&[u32], &[u32], &[T]),
    x: &[T],
    row: usize,
    first: u32,
    step: u32,
) -> T {
    // SAFETY: the caller's promise.
    let [start, end] = unsafe { [*starts.get_unchecked(row), *starts.get_unchecked(row + 1)] };
    let end = (end as usize).min(columns.len()).min(values.len());
    let step = step as usize;
    let mut sum = T::ZERO;
    let mut i = start as usize + first as usize;
    while i < end {
        // First all loads of the matrix, then those of `x`, which wait for them.
        let elements: [_; UNROLL] = from_fn(|k| {
            let i = i + k * step;
            // SAFETY: below `end`, and so in both.
            (i < end).then(|| unsafe { (*columns.get_unchecked(i), *values.get_unchecked(i)) })
        });
        let products = elements.map(|element| match element {
            Some((column, value)) => x.get(column as usize).map_or(T::ZERO, |x| value * *x),
            None => T::ZERO,
        });
        sum += (products[0] + products[1]) + (products[2] + products[3]);
        i += UNROLL * step;
    }
    sum
}
