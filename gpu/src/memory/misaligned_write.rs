//! The sum of two vectors, written from an offset on.
//!
//! `c[i + offset] = a[i] + b[i]`. Launch: 1-D grid of 1-D blocks of any size; at least one thread
//! for each element of `a`, for `write_offset_unroll2` and `write_offset_unroll4` one for each 2
//! or 4. The host passes the part of `c` that begins at the offset. Reads `a` and `b` once, writes
//! `c` once; sums past its end are left out.
//! Shows: a warp's stores need 4 sectors if the offset is a multiple of 8, and 5 if not; two of
//! those five are written in part. A store does not fill a line of a first-level cache, so the unit
//! of stores is the sector on every device.
//! Source: Professional CUDA C Programming, chapter 4.

use lanewise_macros::kernel;
use lanewise_std::DisjointSlice;
use lanewise_std::disjoint::Unrolled;
use lanewise_std::thread;

use super::misaligned_read::unrolled;

/// One element per thread.
#[kernel]
#[launch_contract(dims = 1)]
pub fn write_offset(a: &[f32], b: &[f32], mut c: DisjointSlice<f32>) {
    let index = thread::index_1d();
    let i = index.get();
    if let (Some(a), Some(b), Some(c)) = (a.get(i), b.get(i), c.get_mut(&index)) {
        *c = a + b;
    }
}

/// Two elements per thread, a block apart.
#[kernel]
#[launch_contract(dims = 1)]
pub fn write_offset_unroll2(a: &[f32], b: &[f32], c: DisjointSlice<f32, Unrolled<2>>) {
    unrolled(a, b, c, 0);
}

/// Four elements per thread, a block apart.
#[kernel]
#[launch_contract(dims = 1)]
pub fn write_offset_unroll4(a: &[f32], b: &[f32], c: DisjointSlice<f32, Unrolled<4>>) {
    unrolled(a, b, c, 0);
}
