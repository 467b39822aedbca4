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

use lanewise_macros::kernel;
use lanewise_std::DisjointSlice;
use lanewise_std::disjoint::Unrolled;
use lanewise_std::thread;

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
pub fn read_offset_unroll2(a: &[f32], b: &[f32], c: DisjointSlice<f32, Unrolled<2>>, offset: u32) {
    unrolled(a, b, c, offset as usize);
}

/// Four elements per thread, a block apart.
#[kernel]
#[launch_contract(dims = 1)]
pub fn read_offset_unroll4(a: &[f32], b: &[f32], c: DisjointSlice<f32, Unrolled<4>>, offset: u32) {
    unrolled(a, b, c, offset as usize);
}

/// Adds `N` elements per thread, a block apart, so that at each step neighbouring threads read
/// neighbouring elements. `fill` computes all sums of a thread before it stores the first one.
#[inline(always)]
pub(super) fn unrolled<const N: usize>(
    a: &[f32],
    b: &[f32],
    mut c: DisjointSlice<f32, Unrolled<N>>,
    offset: usize,
) {
    let (Some(a), Some(b)) = (a.get(offset..), b.get(offset..)) else {
        return; // no element is that far
    };
    c.truncate(a.len().min(b.len()));
    c.fill(|i| a[i] + b[i]);
}
