//! The sum of two vectors, written from an offset on.
//!
//! `c[i + offset] = a[i] + b[i]`. Launch: 1-D grid of 1-D blocks of any size; at least one thread
//! for each element of `a`, for `write_offset_unroll2` and `write_offset_unroll4` one for each 2
//! or 4. Reads `a` and `b` once, writes `c` once. The first `offset` elements of `c` are left
//! alone, and places past its end are skipped.
//! Shows: a warp's stores need 4 sectors if the offset is a multiple of 8, and 5 if not; two of
//! those five are written in part. A store does not fill a line of a first-level cache, so the unit
//! of stores is the sector on every device.
//! Source: Professional CUDA C Programming, chapter 4.

use core::array::from_fn;

use lanewise_macros::kernel;
use lanewise_std::DisjointSlice;
use lanewise_std::thread;

use super::misaligned_read::first_and_step;

/// One element per thread.
#[kernel]
#[launch_contract(dims = 1)]
pub fn write_offset(a: &[f32], b: &[f32], mut c: DisjointSlice<f32>, offset: u32) {
    let i = thread::index_1d().get();
    // SAFETY: threads with different i have different elements, at the same distance.
    let c = unsafe { c.get_unique_mut(i + offset as usize) };
    if let (Some(a), Some(b), Some(c)) = (a.get(i), b.get(i), c) {
        *c = a + b;
    }
}

/// Two elements per thread, a block apart.
#[kernel]
#[launch_contract(dims = 1)]
pub fn write_offset_unroll2(a: &[f32], b: &[f32], c: DisjointSlice<f32>, offset: u32) {
    unrolled::<2>(a, b, c, offset as usize);
}

/// Four elements per thread, a block apart.
#[kernel]
#[launch_contract(dims = 1)]
pub fn write_offset_unroll4(a: &[f32], b: &[f32], c: DisjointSlice<f32>, offset: u32) {
    unrolled::<4>(a, b, c, offset as usize);
}

/// Adds `UNROLL` elements per thread, a block apart.
#[inline(always)]
fn unrolled<const UNROLL: usize>(a: &[f32], b: &[f32], mut c: DisjointSlice<f32>, offset: usize) {
    let length = a.len().min(b.len()).min(c.len().saturating_sub(offset));
    // SAFETY: called only for indices below the length.
    let sum = |i: usize| unsafe { a.get_unchecked(i) + b.get_unchecked(i) };
    // SAFETY: as above; in a 1-D launch, each thread has elements of its own.
    let mut store =
        |i: usize, sum| unsafe { *c.get_unique_mut(i + offset).unwrap_unchecked() = sum };

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
