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
//! Source: CUDA study notes, section 2.3, and the programming model notes, "Thread Hierarchy".

use lanewise_macros::kernel;
use lanewise_std::DisjointSlice;
use lanewise_std::thread::{
    block_dim_x, block_dim_y, block_idx_x, block_idx_y, thread_idx_x, thread_idx_y,
};

/// One 2-D block: a thread computes the element at its place in the block.
#[kernel]
#[launch_contract(dims = 2)]
pub fn mat_add_one_block(a: &[f32], b: &[f32], mut c: DisjointSlice<f32>, nx: u32, ny: u32) {
    let x = thread_idx_x();
    let y = thread_idx_y();
    let is_first_block = block_idx_x() == 0 && block_idx_y() == 0;
    if is_first_block && x < nx && y < ny {
        // SAFETY: threads of one block with different x < nx and y have different elements.
        unsafe { add(a, b, &mut c, y as usize * nx as usize + x as usize) }
    }
}

/// A 2-D grid of 2-D blocks: tiles of the matrix.
#[kernel]
#[launch_contract(dims = 2)]
pub fn mat_add_2d_2d(a: &[f32], b: &[f32], mut c: DisjointSlice<f32>, nx: u32, ny: u32) {
    let x = block_idx_x() * block_dim_x() + thread_idx_x();
    let y = block_idx_y() * block_dim_y() + thread_idx_y();
    if x < nx && y < ny {
        // SAFETY: `nx` is the same for all threads, so different x < nx and y
        // have different elements.
        unsafe { add(a, b, &mut c, y as usize * nx as usize + x as usize) }
    }
}

/// A 1-D grid of 1-D blocks: a thread goes down a column.
#[kernel]
#[launch_contract(dims = 1)]
pub fn mat_add_1d_1d(a: &[f32], b: &[f32], mut c: DisjointSlice<f32>, nx: u32, ny: u32) {
    let x = block_idx_x() * block_dim_x() + thread_idx_x();
    if x < nx {
        for y in 0..ny {
            // SAFETY: no other thread has this x < nx, so none has this column.
            unsafe { add(a, b, &mut c, y as usize * nx as usize + x as usize) }
        }
    }
}

/// A 2-D grid of 1-D blocks: the block's y is the row.
#[kernel]
#[launch_contract(dims = 2)]
pub fn mat_add_2d_1d(a: &[f32], b: &[f32], mut c: DisjointSlice<f32>, nx: u32, ny: u32) {
    let x = block_idx_x() * block_dim_x() + thread_idx_x();
    let y = block_idx_y();
    // Blocks are 1-D. If a block had more rows of threads, these would have the same elements.
    if thread_idx_y() == 0 && x < nx && y < ny {
        // SAFETY: `nx` is the same for all threads, so threads of a first row with different x < nx
        // and y have different elements.
        unsafe { add(a, b, &mut c, y as usize * nx as usize + x as usize) }
    }
}

/// `c[i] = a[i] + b[i]`, if all three have an element `i`.
///
/// # Safety
/// No other thread has this `i`.
#[inline]
pub(crate) unsafe fn add(a: &[f32], b: &[f32], c: &mut DisjointSlice<f32>, i: usize) {
    // SAFETY: the caller guarantees that no other thread has this `i`.
    let c = unsafe { c.get_unique_mut(i) };
    if let (Some(a), Some(b), Some(c)) = (a.get(i), b.get(i), c) {
        *c = a + b;
    }
}
