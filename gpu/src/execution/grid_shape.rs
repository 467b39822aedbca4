//! One kernel, many shapes of grid and block.
//!
//! Launch: 2-D grid of 2-D blocks of any shape, at least `nx` by `ny` threads. Reads `a` and `b`
//! once and writes `c` once, as `mat_add_2d_2d`; what lies past a slice's end is left alone.
//! Shows: what the shape alone does to occupancy, to the warps that are launched, and to the time.
//! A block whose width is no multiple of 32 splits its warps over rows; one that is small leaves
//! the multiprocessor short of warps.
//! Source: CUDA study notes, sections 3.2.5 and 3.3, and the execution model notes.

use lanewise_macros::kernel;
use lanewise_std::DisjointSlice;
use lanewise_std::thread;

use crate::basics::matrix_add::add;

/// Computes `c = a + b`, one element per thread.
#[kernel]
#[launch_contract(dims = 2)]
pub fn sum_matrix(a: &[f32], b: &[f32], mut c: DisjointSlice<f32>, nx: u32, ny: u32) {
    let at = thread::index_2d();
    if at.x() < nx as usize && at.y() < ny as usize {
        // SAFETY: `nx` is the launch's, so threads with different x < nx and y have different
        // elements.
        unsafe { add(a, b, &mut c, at.y() * nx as usize + at.x()) }
    }
}
