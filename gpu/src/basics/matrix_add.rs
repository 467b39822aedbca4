//! The sum of two matrices, with four mappings of threads to elements.
//!
//! Launch, for `ny` rows of `nx` columns:
//!
//! | kernel | grid | blocks | a thread does |
//! | --- | --- | --- | --- |
//! | `mat_add_one_block` | one block | 2-D, at least `nx` by `ny` | one element |
//! | `mat_add_2d_2d` | 2-D, at least `nx` by `ny` threads | 2-D | one element |
//! | `mat_add_1d_1d` | 1-D, at least `nx` threads | 1-D | one column |
//! | `mat_add_2d_1d` | 2-D, at least `nx` threads by `ny` blocks | 1-D | one element |
//!
//! Each kernel reads `a` and `b` once and writes `c` once; elements past the end of a
//! slice are skipped.
//! Shows: the kernel chooses the mapping, and the result is the same. In all four, neighbouring
//! threads along x take neighbouring elements, so a warp's accesses coalesce.
//! Source: CUDA C++ Programming Guide, "Thread Hierarchy".

use lanewise_macros::kernel;
use lanewise_std::DisjointMatrix;
use lanewise_std::disjoint_matrix::ColumnPerThread;
use lanewise_std::thread::{block_idx_x, block_idx_y, index_1d, index_2d};

/// One 2-D block: a thread computes the element at its place in the block.
#[kernel]
#[launch_contract(dims = 2)]
pub fn mat_add_one_block(a: &[f32], b: &[f32], mut c: DisjointMatrix<f32>) {
    let columns = c.columns();
    let is_first_block = block_idx_x() == 0 && block_idx_y() == 0;
    if is_first_block && let Some((c, at)) = c.get_mut_indexed() {
        // In the first block, the place in the grid is the place in the block.
        add(a, b, at.y() * columns + at.x(), c);
    }
}

/// A 2-D grid of 2-D blocks: tiles of the matrix.
#[kernel]
#[launch_contract(dims = 2)]
pub fn mat_add_2d_2d(a: &[f32], b: &[f32], mut c: DisjointMatrix<f32>) {
    let columns = c.columns();
    if let Some((c, at)) = c.get_mut_indexed() {
        add(a, b, at.y() * columns + at.x(), c);
    }
}

/// A 1-D grid of 1-D blocks: a thread goes down a column.
#[kernel]
#[launch_contract(dims = 1)]
pub fn mat_add_1d_1d(a: &[f32], b: &[f32], mut c: DisjointMatrix<f32, ColumnPerThread>) {
    let (x, columns) = (index_1d(), c.columns());
    c.for_column(&x, |y, c| add(a, b, y * columns + x.get(), c));
}

/// A 2-D grid of 1-D blocks: the block's y is the row.
#[kernel]
#[launch_contract(dims = 2)]
pub fn mat_add_2d_1d(a: &[f32], b: &[f32], mut c: DisjointMatrix<f32>) {
    let (at, columns) = (index_2d(), c.columns());
    // Blocks are 1-D, so `at.y()` is `block_idx_y()`.
    if let Some(c) = c.get_mut(&at) {
        add(a, b, at.y() * columns + at.x(), c);
    }
}

/// `c = a[i] + b[i]`, if both have an element `i`.
#[inline]
pub(crate) fn add(a: &[f32], b: &[f32], i: usize, c: &mut f32) {
    if let (Some(a), Some(b)) = (a.get(i), b.get(i)) {
        *c = a + b;
    }
}
