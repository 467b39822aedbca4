//! Matrix product: each thread computes one element.
//!
//! `c = a b`, where `a` has `m` rows of `k` columns, `b` has `k` rows of `n`, and `c` has `m` rows
//! of `n`. The sizes are arbitrary, but the slices have to hold their matrices: a shorter `a` or
//! `b` fails an assertion. Launch: 2-D grid of at least `n` threads along x and `m` along y, in 2-D
//! blocks; for `matmul_shared_16` these are 16 x 16, for `matmul_shared_32` 32 x 32. In
//! `matmul_naive` each thread loads a row of `a` and a column of `b`: 2 k loads. In `matmul_shared`
//! the block loads tiles, one element of each tile per thread, and every loaded element is used
//! `TILE` times: 2 k / TILE loads.
//! Shows: shared memory as a cache that the program fills. It divides the loads from global memory
//! by the tile's width.
//! Source: programming model notes, "Shared Memory".

use lanewise_macros::{kernel, shared};
use lanewise_std::thread::{self, block_idx_x, block_idx_y, thread_idx_x, thread_idx_y};
use lanewise_std::{DisjointSlice, SharedTile, gpu_assert};

/// Each thread reads its row and its column from global memory.
#[kernel]
#[launch_contract(dims = 2)]
pub fn matmul_naive(a: &[f32], b: &[f32], mut c: DisjointSlice<f32>, m: u32, n: u32, k: u32) {
    let at = thread::index_2d();
    let (a, b) = (Matrix::new(a, m, k), Matrix::new(b, k, n));
    if at.x() >= b.columns || at.y() >= a.rows {
        return;
    }
    let mut sum = 0.0;
    for e in 0..a.columns {
        // SAFETY: inside both, because this thread's element is inside the product.
        sum += unsafe { a.get_unchecked(at.y(), e) * b.get_unchecked(e, at.x()) };
    }
    // SAFETY: `n` is the same for all threads, so different x < n and y have different elements.
    if let Some(c) = unsafe { c.get_unique_mut(at.y() * b.columns + at.x()) } {
        *c = sum;
    }
}

/// The block moves along its rows of `a` and down its columns of `b`, a pair of tiles at a time.
#[kernel(instances(16, 32))]
#[launch_contract(dims = 2, block = (TILE, TILE))]
pub fn matmul_shared<const TILE: usize>(
    a: &[f32],
    b: &[f32],
    mut c: DisjointSlice<f32>,
    m: u32,
    n: u32,
    k: u32,
) {
    shared! {
        static A: SharedTile<f32, TILE, TILE>;
        static B: SharedTile<f32, TILE, TILE>;
    }
    let (a, b) = (Matrix::new(a, m, k), Matrix::new(b, k, n));
    let (column, row) = (thread_idx_x() as usize, thread_idx_y() as usize);
    let (left, top) = (block_idx_x() as usize * TILE, block_idx_y() as usize * TILE);
    let (x, y) = (left + column, top + row);

    let is_inside = top + TILE <= a.rows && left + TILE <= b.columns;

    let mut sum = 0.0;
    for start in (0..a.columns).step_by(TILE) {
        let (tile_of_a, tile_of_b) = A.fill_both::<1, _, _>(&mut B, |row, column| {
            // A block that is inside the product loads whole tiles without checks. The checks are
            // 3 % of its time on an H200.
            if is_inside && start + TILE <= a.columns {
                // SAFETY: both tiles are inside their matrices.
                unsafe {
                    (
                        a.get_unchecked(top + row, start + column),
                        b.get_unchecked(start + row, left + column),
                    )
                }
            } else {
                (
                    a.get(top + row, start + column),
                    b.get(start + row, left + column),
                )
            }
        });
        for e in 0..TILE {
            sum += tile_of_a.get(row, e) * tile_of_b.get(e, column);
        }
    }

    if x < b.columns && y < a.rows {
        // SAFETY: `n` is the same for all threads, so threads with different x < n and y
        // have different elements.
        if let Some(c) = unsafe { c.get_unique_mut(y * b.columns + x) } {
            *c = sum;
        }
    }
}

/// A matrix in row-major order that is zero outside its edges, so a tile may extend beyond them.
struct Matrix<'a> {
    elements: &'a [f32],
    rows: usize,
    columns: usize,
}

impl<'a> Matrix<'a> {
    #[inline]
    fn new(elements: &'a [f32], rows: u32, columns: u32) -> Self {
        let (rows, columns) = (rows as usize, columns as usize);
        gpu_assert!(
            elements.len() >= rows * columns,
            "the slice is shorter than its matrix"
        );
        Matrix {
            elements,
            rows,
            columns,
        }
    }

    /// Returns an element without a check.
    ///
    /// # Safety
    /// The element is inside the edges.
    #[inline]
    unsafe fn get_unchecked(&self, row: usize, column: usize) -> f32 {
        // SAFETY: inside the edges, and `new` has checked that all elements exist.
        unsafe { *self.elements.get_unchecked(row * self.columns + column) }
    }

    /// Returns the element, or zero outside the edges.
    #[inline]
    fn get(&self, row: usize, column: usize) -> f32 {
        if row < self.rows && column < self.columns {
            // SAFETY: inside the edges.
            unsafe { self.get_unchecked(row, column) }
        } else {
            0.0
        }
    }
}
