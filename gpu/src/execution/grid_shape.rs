//! One kernel, many shapes of grid and block.
//!
//! Launch: 2-D grid of 2-D blocks of any shape, at least `nx` by `ny` threads. Reads `a` and `b`
//! once and writes `c` once, as `mat_add_2d_2d`. Elements past a slice's end are left alone.
//! Shows: how the shape alone changes the occupancy, the number of warps, and the time. If a
//! block's width is no multiple of 32, its warps extend over several rows. With small blocks the
//! multiprocessor has too few warps.
//! Source: Professional CUDA C Programming, chapter 3.

use lanewise_macros::kernel;
use lanewise_std::DisjointMatrix;

use crate::basics::matrix_add::add;

/// Computes `c = a + b`, one element per thread.
#[kernel]
#[launch_contract(dims = 2)]
pub fn sum_matrix(a: &[f32], b: &[f32], mut c: DisjointMatrix<f32>) {
    let columns = c.columns();
    if let Some((c, at)) = c.get_mut_indexed() {
        add(a, b, at.y() * columns + at.x(), c);
    }
}
