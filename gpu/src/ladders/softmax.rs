//! The softmax of each row of a matrix: `exp(x - max)` over the row's sum of these.
//!
//! Launch: 1-D. `softmax_thread`: at least one thread for each row. The others: a block for each
//! row, of one warp for `softmax_warp`. Matrices may have any size; both have the same.
//! Shows: who has a row decides about coalesced access. A pass over the row less is a third of the
//! loads less: the maximum and the sum can be found together.
//! Source: Milakov, Gimelshein, "Online normalizer calculation for softmax", 2018.

use core::array::from_fn;

use lanewise_macros::kernel;
use lanewise_std::collective::{Max, Sum, block_reduce};
use lanewise_std::disjoint_matrix::{DisjointMatrix, RowPer};
use lanewise_std::math::Float;
use lanewise_std::thread::{block_stride, index_1d, thread_idx_x};
use lanewise_std::{Matrix, RowPerBlock};

/// A thread has a row, and goes over it three times.
#[kernel]
#[launch_contract(dims = 1)]
pub fn softmax_thread(input: Matrix<f32>, mut output: DisjointMatrix<f32, RowPer>) {
    let index = index_1d();
    if index.get() >= input.rows() {
        return;
    }
    let row = input.row(index.get());
    let mut largest = f32::MIN;
    for &x in row {
        largest = largest.max(x);
    }
    let mut sum = 0.0;
    for &x in row {
        sum += Float::exp(x - largest);
    }
    for (column, &x) in row.iter().enumerate() {
        if let Some(y) = output.in_row(&index, column) {
            *y = Float::exp(x - largest) / sum;
        }
    }
}

/// A warp has a row: a block of one warp. Its lanes have neighbouring elements.
#[kernel]
#[launch_contract(dims = 1, block = 32)]
pub fn softmax_warp(input: Matrix<f32>, output: RowPerBlock<f32>) {
    three_passes(input, output);
}

/// A block of 512 threads has a row.
#[kernel]
#[launch_contract(dims = 1, block = 512)]
pub fn softmax_block(input: Matrix<f32>, output: RowPerBlock<f32>) {
    three_passes(input, output);
}

#[inline(always)]
fn three_passes(input: Matrix<f32>, mut output: RowPerBlock<f32>) {
    let Some(row) = output.row() else { return };
    let row = input.row(row);
    let mut largest = f32::MIN;
    for column in block_stride(row.len()) {
        largest = largest.max(row[column]);
    }
    let largest = block_reduce(largest, Max);
    let mut sum = 0.0;
    for column in block_stride(row.len()) {
        sum += Float::exp(row[column] - largest);
    }
    let sum = block_reduce(sum, Sum);
    for (column, y) in output.block_stride() {
        *y = Float::exp(row[column] - largest) / sum;
    }
}

/// A block has a row, and finds its maximum and its sum in one pass, four elements at a time.
#[kernel]
#[launch_contract(dims = 1, block = 512)]
pub fn softmax_online(input: Matrix<f32>, mut output: RowPerBlock<f32>) {
    let Some(row) = output.row() else { return };
    let row = input.row(row);
    // The sum is of exponentials of differences from the largest element so far.
    let (mut largest, mut sum) = (f32::MIN, 0.0);
    for first in (thread_idx_x() as usize..row.len()).step_by(4 * 512) {
        let element = |k| row.get(first + 512 * k).copied();
        let four: [f32; 4] = from_fn(|k| element(k).unwrap_or(f32::NEG_INFINITY));
        let larger = four.into_iter().fold(largest, f32::max);
        sum *= Float::exp(largest - larger);
        sum += four.map(|x| Float::exp(x - larger)).iter().sum::<f32>();
        largest = larger;
    }
    let (largest, sum) = block_reduce((largest, sum), together);
    for (column, y) in output.block_stride() {
        *y = Float::exp(row[column] - largest) / sum;
    }
}

/// Returns the maximum and the sum of two parts of a row, from those of each.
#[inline(always)]
fn together(a: (f32, f32), b: (f32, f32)) -> (f32, f32) {
    let largest = a.0.max(b.0);
    let sum = a.1 * Float::exp(a.0 - largest) + b.1 * Float::exp(b.0 - largest);
    (largest, sum)
}
