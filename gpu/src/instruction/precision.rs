//! One computation in `f32` and in `f64`.
//!
//! Launch: 1-D grid of at least as many threads as elements. Each thread takes its element of
//! `input`, does `x = x * 0.75 + 0.1` `rounds` times, and writes the result to `output`. Elements
//! past the end of the shorter slice are left alone.
//! Shows: the same instructions, twice the bytes, and twice the digits. In Rust a literal has the
//! type of its expression, so `0.1` in an `f32` expression is never a double by accident.
//! Source: Professional CUDA C Programming, chapter 7; CUDA C++ Programming Guide, "Floating-Point
//! Standard".

use lanewise_macros::kernel;
use lanewise_std::DisjointSlice;
use lanewise_std::thread::index_1d;

/// Computes in single precision.
#[kernel]
#[launch_contract(dims = 1)]
pub fn busy_f32(input: &[f32], mut output: DisjointSlice<f32>, rounds: u32) {
    let index = index_1d();
    if let (Some(&element), Some(output)) = (input.get(index.get()), output.get_mut(&index)) {
        let mut x = element;
        for _ in 0..rounds {
            x = x * 0.75 + 0.1;
        }
        *output = x;
    }
}

/// Computes in double precision.
#[kernel]
#[launch_contract(dims = 1)]
pub fn busy_f64(input: &[f64], mut output: DisjointSlice<f64>, rounds: u32) {
    let index = index_1d();
    if let (Some(&element), Some(output)) = (input.get(index.get()), output.get_mut(&index)) {
        let mut x = element;
        for _ in 0..rounds {
            x = x * 0.75 + 0.1;
        }
        *output = x;
    }
}
