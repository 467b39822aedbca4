#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx))]
//! A kernel that calls functions compiled by nvcc, and a function for kernels that nvcc compiles.

use lanewise_macros::{device, kernel};
use lanewise_std::DisjointSlice;
use lanewise_std::thread::index_1d;

lanewise_std::module!();

/// The minimum and the maximum of some numbers, as `foreign/norm.cu` declares it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Range {
    /// The least of the values.
    pub low: f32,
    /// The greatest of the values.
    pub high: f32,
}

// ANCHOR: declared
// What foreign/norm.cu defines, and nvcc has compiled to foreign/norm.ptx.
#[device]
unsafe extern "C" {
    /// The length of a vector.
    fn norm3(x: f32, y: f32, z: f32) -> f32;
    /// Computes the minimum and the maximum of `count` numbers; `count` is at least one.
    fn range_of(numbers: *const f32, count: u64) -> Range;
}

/// The length of each vector of three.
#[kernel]
pub fn lengths(vectors: &[[f32; 3]], mut output: DisjointSlice<f32>) {
    let index = index_1d();
    let Some(&[x, y, z]) = vectors.get(index.get()) else {
        return;
    };
    if let Some(length) = output.get_mut(index) {
        // SAFETY: it takes three numbers, and looks at no memory.
        *length = unsafe { norm3(x, y, z) };
    }
}
// ANCHOR_END: declared

/// The difference between the maximum and the minimum of each piece of `size` numbers.
#[kernel]
pub fn spreads(numbers: &[f32], size: usize, mut output: DisjointSlice<f32>) {
    let index = index_1d();
    let piece = numbers.chunks(size).nth(index.get());
    if let (Some(piece), Some(spread)) = (piece, output.get_mut(index)) {
        // SAFETY: this many numbers are there, and a piece is not empty.
        let range = unsafe { range_of(piece.as_ptr(), piece.len() as u64) };
        *spread = range.high - range.low;
    }
}

// ANCHOR: exported
/// What `foreign/weigh.cu` declares `extern "C" __device__ float weight(float);`.
#[device]
pub extern "C" fn weight(x: f32) -> f32 {
    1.0 / (1.0 + x * x)
}
// ANCHOR_END: exported
