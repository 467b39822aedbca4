//! Copy and transpose of a matrix in global memory, without shared memory.
//!
//! `input` has `ny` rows of `nx` columns; a transpose writes `nx` rows of `ny` columns, a copy
//! writes what it reads. Launch: 2-D grid of 2-D blocks; at least `nx` threads along x and `ny`
//! along y. In the transposes named `col` a thread stands for an element of the output: `ny`
//! threads along x and `nx` along y. Those named `unroll4` need a quarter of that along x. The
//! matrix may have any size. Each kernel reads its elements once and writes them once. The type of
//! the output says which elements a thread writes, and `fill` calls the function for each of them.
//! Shows: a warp is a row of 32 threads (or two rows of 16, or four of 8). By rows, its accesses
//! need 4 sectors; by columns, a sector for each row that it touches. The two copies are the upper
//! and lower bound for the transposes. A strided load is cheaper than a strided store, because its
//! sectors stay in the cache for the rows that follow.
//! Source: Professional CUDA C Programming, chapter 4.

use lanewise_macros::kernel;
use lanewise_std::Matrix;
use lanewise_std::disjoint_matrix::{Diagonal, DisjointMatrix, Transposed, Unrolled};

/// The number of a thread's elements in the unrolled kernels.
pub const UNROLL: usize = 4;

/// Loads rows, stores rows: no transpose, and the upper bound of the throughput.
#[kernel]
#[launch_contract(dims = 2)]
pub fn copy_row(input: Matrix<f32>, mut output: DisjointMatrix<f32>) {
    output.fill(|row, column| input.get_or(row, column, 0.0));
}

/// Loads columns, stores columns: no transpose, and the lower bound of the throughput.
#[kernel]
#[launch_contract(dims = 2)]
pub fn copy_col(input: Matrix<f32>, mut output: DisjointMatrix<f32, Transposed>) {
    output.fill(|row, column| input.get_or(row, column, 0.0));
}

/// Loads rows, stores columns.
#[kernel]
#[launch_contract(dims = 2)]
pub fn transpose_naive_row(input: Matrix<f32>, mut output: DisjointMatrix<f32, Transposed>) {
    output.fill(|row, column| input.get_or(column, row, 0.0));
}

/// Loads columns, stores rows.
#[kernel]
#[launch_contract(dims = 2)]
pub fn transpose_naive_col(input: Matrix<f32>, mut output: DisjointMatrix<f32>) {
    output.fill(|row, column| input.get_or(column, row, 0.0));
}

/// Loads rows, stores columns: four elements of a row per thread, a block apart.
#[kernel]
#[launch_contract(dims = 2)]
pub fn transpose_unroll4_row(
    input: Matrix<f32>,
    mut output: DisjointMatrix<f32, Unrolled<UNROLL, Transposed>>,
) {
    output.fill(|row, column| input.get_or(column, row, 0.0));
}

/// Loads columns, stores rows: four elements of an output row per thread, a block apart.
#[kernel]
#[launch_contract(dims = 2)]
pub fn transpose_unroll4_col(
    input: Matrix<f32>,
    mut output: DisjointMatrix<f32, Unrolled<UNROLL>>,
) {
    output.fill(|row, column| input.get_or(column, row, 0.0));
}

/// Does the same as `transpose_naive_row`, with the blocks taken along diagonals. Then blocks that
/// run at the same time access different columns *and* rows.
#[kernel]
#[launch_contract(dims = 2)]
pub fn transpose_diagonal_row(
    input: Matrix<f32>,
    mut output: DisjointMatrix<f32, Diagonal<Transposed>>,
) {
    output.fill(|row, column| input.get_or(column, row, 0.0));
}

/// Does the same as `transpose_naive_col`, with the blocks taken along diagonals.
#[kernel]
#[launch_contract(dims = 2)]
pub fn transpose_diagonal_col(input: Matrix<f32>, mut output: DisjointMatrix<f32, Diagonal>) {
    output.fill(|row, column| input.get_or(column, row, 0.0));
}
