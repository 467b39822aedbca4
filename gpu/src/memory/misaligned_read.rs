//! The sum of two vectors, read from an offset on.
//!
//! `c[i] = a[i + offset] + b[i + offset]`. Launch: 1-D grid of 1-D blocks of any size; at least one
//! thread for each element of `c`, for `read_offset_unroll2` and `read_offset_unroll4` one for each
//! 2 or 4. Reads `a` and `b` once, writes `c` once. Elements past the end of `a` or `b` are not
//! read, and their elements of `c` are left alone.
//! Shows: the 32 floats of a warp fill 4 sectors if the offset is a multiple of 8, and need 5 if
//! not. Stores stay aligned. Unrolling does not change the number of sectors, but more of them are
//! in flight at a time.
//! Source: Professional CUDA C Programming, chapter 4.

use core::array::from_fn;

use lanewise_macros::kernel;
use lanewise_std::DisjointSlice;
use lanewise_std::thread::{self, block_dim_x, block_idx_x, thread_idx_x};

/// One element per thread.
#[kernel]
#[launch_contract(dims = 1)]
pub fn read_offset(a: &[f32], b: &[f32], mut c: DisjointSlice<f32>, offset: u32) {
    let index = thread::index_1d();
    let from = index.get() + offset as usize;
    if let (Some(a), Some(b), Some(c)) = (a.get(from), b.get(from), c.get_mut(&index)) {
        *c = a + b;
    }
}

/// Two elements per thread, a block apart.
#[kernel]
#[launch_contract(dims = 1)]
pub fn read_offset_unroll2(a: &[f32], b: &[f32], c: DisjointSlice<f32>, offset: u32) {
    unrolled::<2>(a, b, c, offset as usize);
}

/// Four elements per thread, a block apart.
#[kernel]
#[launch_contract(dims = 1)]
pub fn read_offset_unroll4(a: &[f32], b: &[f32], c: DisjointSlice<f32>, offset: u32) {
    unrolled::<4>(a, b, c, offset as usize);
}

/// Adds `UNROLL` elements per thread, a block apart, so that at each step neighbouring threads
/// read neighbouring elements.
#[inline(always)]
fn unrolled<const UNROLL: usize>(a: &[f32], b: &[f32], mut c: DisjointSlice<f32>, offset: usize) {
    let length = c.len().min(a.len().min(b.len()).saturating_sub(offset));
    // SAFETY: called only for indices below the length, where `i + offset` is in both.
    let sum = |i: usize| unsafe { a.get_unchecked(i + offset) + b.get_unchecked(i + offset) };
    // SAFETY: as above; in a 1-D launch, each thread has elements of its own.
    let mut store = |i: usize, sum| unsafe { *c.get_unique_mut(i).unwrap_unchecked() = sum };

    let (first, step) = first_and_step::<UNROLL>();
    if first + (UNROLL - 1) * step < length {
        // There is nothing between the loads, so none waits for another.
        let sums: [f32; UNROLL] = from_fn(|k| sum(first + k * step));
        for (k, sum) in sums.into_iter().enumerate() {
            store(first + k * step, sum);
        }
    } else {
        for i in (first..length).step_by(step) {
            store(i, sum(i));
        }
    }
}

/// Returns a thread's first element and the distance to the next, if a block of threads processes
/// `UNROLL` blocks of elements.
#[inline(always)]
pub(super) fn first_and_step<const UNROLL: usize>() -> (usize, usize) {
    let step = block_dim_x() as usize;
    (
        block_idx_x() as usize * step * UNROLL + thread_idx_x() as usize,
        step,
    )
}
