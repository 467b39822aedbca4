//! The product of a sparse matrix and a vector, in compressed rows.
//!
//! `y = A x`: the elements of row r are `values[starts[r]..starts[r + 1]]`, in the columns of the same places of `columns`. `A` has one row
//! less than `starts` elements; rows may be empty, and of any length. What a start or a column points past is left out.
//! Launch: 1-D grid of 1-D blocks of whole warps, any number of them.
//! Shows: with a thread a row, neighbouring threads load elements of different rows, and a long row keeps 31 others waiting. With a warp a
//! row the loads fall together, and a short row leaves most lanes idle.
//! Source: CUDA study notes, chapter 8 (cuSPARSE); Bell and Garland, "Efficient Sparse Matrix-Vector Multiplication on CUDA", 2008.

use lanewise_macros::kernel;
use lanewise_std::DisjointSlice;
use lanewise_std::collective::{Sum, warp_reduce};
use lanewise_std::thread::{block_idx_x, grid_dim_x, grid_stride};
use lanewise_std::warp::{WARP_SIZE, lane_id, warp_id, warps_per_block};

/// A thread for each row.
#[kernel]
#[launch_contract(dims = 1, whole_warps)]
pub fn spmv_csr(
    starts: &[u32],
    columns: &[u32],
    values: &[f32],
    x: &[f32],
    mut y: DisjointSlice<f32>,
) {
    for row in grid_stride(starts.len().saturating_sub(1)) {
        let sum = part_of_row((starts, columns, values), x, row, 0, 1);
        // SAFETY: no other thread of the grid has this row.
        if let Some(y) = unsafe { y.get_unique_mut(row) } {
            *y = sum;
        }
    }
}

/// A warp for each row.
#[kernel]
#[launch_contract(dims = 1, whole_warps)]
pub fn spmv_csr_warp(
    starts: &[u32],
    columns: &[u32],
    values: &[f32],
    x: &[f32],
    mut y: DisjointSlice<f32>,
) {
    let first = block_idx_x() as usize * warps_per_block() as usize + warp_id() as usize;
    let step = grid_dim_x() as usize * warps_per_block() as usize;
    for row in (first..starts.len().saturating_sub(1)).step_by(step) {
        let part = part_of_row((starts, columns, values), x, row, lane_id(), WARP_SIZE);
        let sum = warp_reduce(part, Sum);
        if lane_id() == 0 {
            // SAFETY: one lane of the warp that has this row.
            if let Some(y) = unsafe { y.get_unique_mut(row) } {
                *y = sum;
            }
        }
    }
}

/// What every `step`-th element of a row, from `first` on, adds to the row's sum.
#[inline(always)]
fn part_of_row(
    (starts, columns, values): (&[u32], &[u32], &[f32]),
    x: &[f32],
    row: usize,
    first: u32,
    step: u32,
) -> f32 {
    let end = (starts[row + 1] as usize)
        .min(columns.len())
        .min(values.len());
    let mut sum = 0.0;
    let mut i = starts[row] as usize + first as usize;
    while i < end {
        if let Some(x) = x.get(columns[i] as usize) {
            sum += values[i] * x;
        }
        i += step as usize;
    }
    sum
}
