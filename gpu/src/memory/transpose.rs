//! Copy and transpose of a matrix straight through global memory.
//!
//! `input` has `ny` rows of `nx` columns; a transpose writes `nx` rows of `ny` columns, the copy writes what it reads.
//! Launch: 2-D grid of 2-D blocks; at least `nx` threads along x and `ny` along y, for `transpose_naive_col` `ny` along x and
//! `nx` along y (a thread is an element of the output there). Any size will do.
//! Each reads its element once and writes it once; what lies past a slice's end is left alone.
//! Shows: a warp is a row of 32 threads (or two of 16). By rows, its accesses fall into 4 sectors; by columns, into 32.
//! The copy has rows on both sides and is the bound for the others; a strided load is cheaper than a strided store, as
//! sectors wait in the cache for the rows that follow.
//! Source: notes 000, section 4.4.2 (whose listings mix up `nx` and `ny` for matrices that are not square).

use gpu_macros::kernel;
use gpu_std::DisjointSlice;
use gpu_std::thread;

/// Loads rows, stores rows: no transpose, the most that one can hope for.
#[kernel]
#[launch_contract(dims = 2)]
pub fn copy_row(input: &[f32], mut output: DisjointSlice<f32>, nx: u32, ny: u32) {
    let (at, nx, ny) = (thread::index_2d(), nx as usize, ny as usize);
    if at.x() < nx && at.y() < ny {
        let i = at.y() * nx + at.x();
        // SAFETY: threads with different x < nx and y have different elements.
        let output = unsafe { output.get_unique_mut(i) };
        if let (Some(input), Some(output)) = (input.get(i), output) {
            *output = *input;
        }
    }
}

/// Loads rows, stores columns.
#[kernel]
#[launch_contract(dims = 2)]
pub fn transpose_naive_row(input: &[f32], mut output: DisjointSlice<f32>, nx: u32, ny: u32) {
    let (at, nx, ny) = (thread::index_2d(), nx as usize, ny as usize);
    if at.x() < nx && at.y() < ny {
        // SAFETY: threads with different x and y < ny have different elements.
        let output = unsafe { output.get_unique_mut(at.x() * ny + at.y()) };
        if let (Some(input), Some(output)) = (input.get(at.y() * nx + at.x()), output) {
            *output = *input;
        }
    }
}

/// Loads columns, stores rows.
#[kernel]
#[launch_contract(dims = 2)]
pub fn transpose_naive_col(input: &[f32], mut output: DisjointSlice<f32>, nx: u32, ny: u32) {
    let (at, nx, ny) = (thread::index_2d(), nx as usize, ny as usize);
    if at.x() < ny && at.y() < nx {
        // SAFETY: threads with different x < ny and y have different elements.
        let output = unsafe { output.get_unique_mut(at.y() * ny + at.x()) };
        if let (Some(input), Some(output)) = (input.get(at.x() * nx + at.y()), output) {
            *output = *input;
        }
    }
}
