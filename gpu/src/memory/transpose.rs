//! Copy and transpose of a matrix in global memory, without shared memory.
//!
//! `input` has `ny` rows of `nx` columns; a transpose writes `nx` rows of `ny` columns, a copy
//! writes what it reads. Launch: 2-D grid of 2-D blocks; at least `nx` threads along x and `ny`
//! along y. In the transposes named `col` a thread stands for an element of the output: `ny`
//! threads along x and `nx` along y. Those named `unroll4` need a quarter of that along x. The
//! matrix may have any size. Each kernel reads its elements once and writes them once; elements
//! past the end of a slice are skipped.
//! Shows: a warp is a row of 32 threads (or two rows of 16, or four of 8). By rows, its accesses
//! need 4 sectors; by columns, a sector for each row that it touches. The two copies are the upper
//! and lower bound for the transposes. A strided load is cheaper than a strided store, because its
//! sectors stay in the cache for the rows that follow.
//! Source: CUDA study notes, section 4.4.2 (whose listings mix up `nx` and `ny` for matrices that
//! are not square).

use core::array::from_fn;

use lanewise_macros::kernel;
use lanewise_std::DisjointSlice;
use lanewise_std::thread::{
    self, block_dim_x, block_dim_y, block_idx_x, block_idx_y, global_idx_y, grid_dim_y,
    thread_idx_x, thread_idx_y,
};

/// The number of a thread's elements in the unrolled kernels.
pub const UNROLL: usize = 4;

/// Loads rows, stores rows: no transpose, and the upper bound of the throughput.
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

/// Loads columns, stores columns: no transpose, and the lower bound of the throughput. The matrix
/// is read as `nx` rows of `ny`.
#[kernel]
#[launch_contract(dims = 2)]
pub fn copy_col(input: &[f32], mut output: DisjointSlice<f32>, nx: u32, ny: u32) {
    let (at, nx, ny) = (thread::index_2d(), nx as usize, ny as usize);
    if at.x() < nx && at.y() < ny {
        let i = at.x() * ny + at.y();
        // SAFETY: threads with different x and y < ny have different elements.
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

/// Loads rows, stores columns: four elements of a row per thread, a block apart.
#[kernel]
#[launch_contract(dims = 2)]
pub fn transpose_unroll4_row(input: &[f32], output: DisjointSlice<f32>, nx: u32, ny: u32) {
    let (nx, ny) = (nx as usize, ny as usize);
    // SAFETY: x and y are an element of the input, and no other element has its place
    // in the output.
    unsafe { unrolled(input, output, (nx, ny), |x, y| (y * nx + x, x * ny + y)) }
}

/// Loads columns, stores rows: four elements of an output row per thread, a block apart.
#[kernel]
#[launch_contract(dims = 2)]
pub fn transpose_unroll4_col(input: &[f32], output: DisjointSlice<f32>, nx: u32, ny: u32) {
    let (nx, ny) = (nx as usize, ny as usize);
    // SAFETY: x and y are an element of the output, and each element has its own.
    unsafe { unrolled(input, output, (ny, nx), |x, y| (x * nx + y, y * ny + x)) }
}

/// Moves four elements per thread. `places` returns where the element at x and y is read and where
/// it is written.
///
/// # Safety
/// For x and y below `width` and `height`, `places` returns no place of the output twice, and its
/// places grow with x.
#[inline(always)]
unsafe fn unrolled(
    input: &[f32],
    mut output: DisjointSlice<f32>,
    (width, height): (usize, usize),
    places: impl Fn(usize, usize) -> (usize, usize),
) {
    let step = block_dim_x() as usize;
    let first = block_idx_x() as usize * step * UNROLL + thread_idx_x() as usize;
    let y = global_idx_y() as usize;
    if y >= height {
        return;
    }
    let exists = |x| {
        let (from, to) = places(x, y);
        x < width && from < input.len() && to < output.len()
    };
    if exists(first + (UNROLL - 1) * step) {
        // All four exist if the last does. All loads are before the first store, so none
        // waits for another.
        // SAFETY: below the last one's place, which is in bounds.
        let elements: [f32; UNROLL] =
            from_fn(|k| unsafe { *input.get_unchecked(places(first + k * step, y).0) });
        for (k, element) in elements.into_iter().enumerate() {
            // SAFETY: in bounds as above; threads with different x < width and y have different
            // places, as the caller guarantees.
            unsafe { *output.as_mut_ptr().add(places(first + k * step, y).1) = element };
        }
    } else {
        for x in (first..width).step_by(step).take(UNROLL) {
            let (from, to) = places(x, y);
            // SAFETY: as above; the places after the fourth belong to other threads.
            let output = unsafe { output.get_unique_mut(to) };
            if let (Some(input), Some(output)) = (input.get(from), output) {
                *output = *input;
            }
        }
    }
}

/// Does the same as `transpose_naive_row`, with the blocks taken along diagonals.
#[kernel]
#[launch_contract(dims = 2)]
pub fn transpose_diagonal_row(input: &[f32], mut output: DisjointSlice<f32>, nx: u32, ny: u32) {
    let ((x, y), nx, ny) = (diagonal_2d(), nx as usize, ny as usize);
    if x < nx && y < ny {
        // SAFETY: threads with different x and y < ny have different elements.
        let output = unsafe { output.get_unique_mut(x * ny + y) };
        if let (Some(input), Some(output)) = (input.get(y * nx + x), output) {
            *output = *input;
        }
    }
}

/// Does the same as `transpose_naive_col`, with the blocks taken along diagonals.
#[kernel]
#[launch_contract(dims = 2)]
pub fn transpose_diagonal_col(input: &[f32], mut output: DisjointSlice<f32>, nx: u32, ny: u32) {
    let ((x, y), nx, ny) = (diagonal_2d(), nx as usize, ny as usize);
    if x < ny && y < nx {
        // SAFETY: threads with different x < ny and y have different elements.
        let output = unsafe { output.get_unique_mut(y * ny + x) };
        if let (Some(input), Some(output)) = (input.get(x * nx + y), output) {
            *output = *input;
        }
    }
}

/// Returns this thread's position if blocks with neighbouring numbers lie on a diagonal of the
/// grid, not in a row. Then blocks that run at the same time access different columns *and* rows.
///
/// Each block keeps its column, and column `b` is rotated down by `b` rows. So no two threads
/// have the same position, in a grid of any shape. (The notes rotate rows by columns, which needs
/// a square grid.)
#[inline]
fn diagonal_2d() -> (usize, usize) {
    let (column, row) = (
        block_idx_x(),
        (block_idx_x() + block_idx_y()) % grid_dim_y(),
    );
    (
        column as usize * block_dim_x() as usize + thread_idx_x() as usize,
        row as usize * block_dim_y() as usize + thread_idx_y() as usize,
    )
}
