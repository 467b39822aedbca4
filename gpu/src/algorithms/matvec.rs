//! The product of a matrix with padded rows and a vector.
//!
//! `shape` is columns and rows. `y = A x`, where `A` has `rows` rows of `columns` elements, `pitch`
//! elements from one row to the next. Any shape is allowed. A matrix or a vector that is shorter
//! than the shape fails an assertion, and elements past the end of `y` are left out. Launch: 1-D
//! grid of 1-D blocks of whole warps, any number of them.
//! Shows: each row is a sum over several threads. A block has more threads than a short row has
//! elements, and waits at barriers for all of them. A warp has 32 threads and no barrier.
//! Source: Fengchen's introduction, chapter 3; CUDA C++ Programming Guide, "Device Memory".

use lanewise_macros::kernel;
use lanewise_std::collective::{Sum, block_reduce, warp_reduce};
use lanewise_std::thread::{
    block_dim_x, grid_stride_by_blocks, grid_stride_by_warps, thread_idx_x,
};
use lanewise_std::warp::{WARP_SIZE, lane_id};
use lanewise_std::{PerBlock, PerWarp, gpu_assert};

/// Computes the product with a block for each row.
#[kernel]
#[launch_contract(dims = 1, whole_warps)]
pub fn matvec_block(a: &[f32], pitch: u32, shape: [u32; 2], x: &[f32], mut y: PerBlock<f32>) {
    let [columns, rows] = shape;
    let matrix = Rows::new(a, pitch, columns, rows, x);
    for row in grid_stride_by_blocks(rows as usize) {
        let part = matrix.part_of_row(row.get(), thread_idx_x(), block_dim_x());
        let sum = block_reduce(part, Sum);
        if let Some(y) = y.get_mut_at(&row) {
            *y = sum;
        }
    }
}

/// Computes the product with a warp for each row.
#[kernel]
#[launch_contract(dims = 1, whole_warps)]
pub fn matvec_warp(a: &[f32], pitch: u32, shape: [u32; 2], x: &[f32], mut y: PerWarp<f32>) {
    let [columns, rows] = shape;
    let matrix = Rows::new(a, pitch, columns, rows, x);
    for row in grid_stride_by_warps(rows as usize) {
        let sum = warp_reduce(matrix.part_of_row(row.get(), lane_id(), WARP_SIZE), Sum);
        if let Some(y) = y.get_mut(&row) {
            *y = sum;
        }
    }
}

/// A matrix with padded rows, and the vector that it is multiplied by.
struct Rows<'a> {
    elements: &'a [f32],
    pitch: usize,
    x: &'a [f32],
}

impl<'a> Rows<'a> {
    /// Checks that the slices have all elements of the shape.
    #[inline(always)]
    fn new(elements: &'a [f32], pitch: u32, columns: u32, rows: u32, x: &'a [f32]) -> Self {
        let (pitch, columns) = (pitch as usize, columns as usize);
        let last = (rows as usize).saturating_sub(1) * pitch;
        gpu_assert!(
            rows == 0 || (last <= elements.len() && elements.len() - last >= columns),
            "the matrix is shorter than its shape says"
        );
        gpu_assert!(x.len() >= columns, "the vector is shorter than a row");
        Rows {
            elements,
            pitch,
            x: &x[..columns],
        }
    }

    /// Returns the sum over every `step`-th element of a row, from `first` on.
    #[inline(always)]
    fn part_of_row(&self, row: usize, first: u32, step: u32) -> f32 {
        let start = row * self.pitch;
        let Some(row) = self.elements.get(start..start + self.x.len()) else {
            return 0.0; // all rows are inside the matrix, as `new` has checked
        };
        let mut sum = 0.0;
        for i in (first as usize..row.len()).step_by(step as usize) {
            sum += row[i] * self.x[i];
        }
        sum
    }
}
