//! The product of a sparse matrix and a vector, in compressed rows.
//!
//! `y = A x`: the elements of row r are `values[starts[r]..starts[r + 1]]`, and the same places of
//! `columns` hold their columns. `A` has one row less than `starts` has elements. Rows may be empty
//! and of any length. A start or a column past the end is left out. Launch: 1-D grid of 1-D blocks
//! of whole warps, any number of them.
//! Shows: with a thread per row, neighbouring threads load elements of different rows, and 31
//! others wait for a long row. With a warp per row the loads coalesce, but a short row leaves most
//! lanes idle. So a warp is divided into groups of `LANES` lanes, a number that suits the rows.
//! Source: Professional CUDA C Programming, chapter 8 (cuSPARSE); Bell and Garland, "Efficient
//! Sparse Matrix-Vector Multiplication on CUDA", 2008.

use core::array::from_fn;

use lanewise_macros::kernel;
use lanewise_std::disjoint_matrix::RowPer;
use lanewise_std::thread::{Tiles, grid_stride, grid_stride_by_tiles};
use lanewise_std::unroll::unroll;
use lanewise_std::warp::{FULL_MASK, lane_id, shuffle_xor_sync};
use lanewise_std::{DisjointMatrix, DisjointSlice};

use super::real::Real;

/// The number of a lane's elements whose loads are in flight.
const UNROLL: usize = 4;

/// Computes the product with a thread for each row.
#[kernel(instances(f32, f64))]
#[launch_contract(dims = 1, whole_warps)]
pub fn spmv_csr<T: Real>(
    starts: &[u32],
    columns: &[u32],
    values: &[T],
    x: &[T],
    mut y: DisjointSlice<T>,
) {
    let Some(rows) = starts.len().checked_sub(1) else {
        return;
    };
    for row in grid_stride(rows).indices() {
        let sum = part_of_row((starts, columns, values), x, row.get(), (0, 1));
        if let Some(y) = y.get_mut(&row) {
            *y = sum;
        }
    }
}

/// Computes the product with `LANES` lanes of a warp for each row.
#[kernel(instances((f32, 4), (f32, 8), (f32, 16), (f32, 32), (f64, 4), (f64, 8), (f64, 16), (f64, 32)))]
#[launch_contract(dims = 1, whole_warps)]
pub fn spmv_csr_warp<T: Real, const LANES: u32>(
    starts: &[u32],
    columns: &[u32],
    values: &[T],
    x: &[T],
    mut y: DisjointMatrix<T, RowPer<Tiles<LANES>>>,
) {
    let Some(rows) = starts.len().checked_sub(1) else {
        return;
    };
    // A warp loops as a whole, so that all its lanes take part in the shuffles.
    for own in grid_stride_by_tiles::<LANES>(rows) {
        let share = (lane_id() % LANES, LANES);
        let mut sum = part_of_row((starts, columns, values), x, own.get(), share);
        unroll::<5>(|i| {
            if 16 >> i < LANES {
                sum += shuffle_xor_sync(FULL_MASK, sum, 16 >> i);
            }
        });
        if let Some(y) = y.in_row(&own, 0) {
            *y = sum;
        }
    }
}

/// Returns the sum over every `step`-th element of a row, from `first` on. Past the last row it
/// is 0.
#[inline(always)]
fn part_of_row<T: Real>(
    (starts, columns, values): (&[u32], &[u32], &[T]),
    x: &[T],
    row: usize,
    (first, step): (u32, u32),
) -> T {
    let (Some(&start), Some(&end)) = (starts.get(row), starts.get(row + 1)) else {
        return T::ZERO;
    };
    let end = (end as usize).min(columns.len()).min(values.len());
    let (columns, values) = (&columns[..end], &values[..end]);
    let step = step as usize;
    let mut sum = T::ZERO;
    let mut i = start as usize + first as usize;
    while i < end {
        // This issues all loads of the matrix first, and then those of `x`, which depend on them.
        let elements: [_; UNROLL] = from_fn(|k| {
            let i = i + k * step;
            (i < end).then(|| (columns[i], values[i]))
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
