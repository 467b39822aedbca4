//! A generator of pseudo-random numbers that runs many steps: a kernel whose duration
//! can be chosen.
//!
//! Launch: 1-D grid of at least as many threads as elements, in blocks of any size. Each element is
//! read once, goes through `rounds` steps of `x = 1664525 x + 1013904223` (mod 2^32), and is
//! written once. Elements past the shorter of the two slices are left alone.
//! Shows: nothing by itself. The streams chapter needs a kernel whose time can be compared with
//! that of a copy, and whose result can be checked. Each step needs the one before, so the time
//! grows with `rounds`.
//! Source: Professional CUDA C Programming, chapter 6 (kernels that repeat their work); Press et
//! al., *Numerical Recipes*, for the constants.

use lanewise_macros::kernel;
use lanewise_std::DisjointSlice;
use lanewise_std::thread;

/// The factor of a step.
pub const FACTOR: u32 = 1_664_525;
/// The increment of a step.
pub const INCREMENT: u32 = 1_013_904_223;

/// Computes `output[i]` from `input[i]` by `rounds` steps.
#[kernel]
#[launch_contract(dims = 1)]
pub fn advance(input: &[u32], mut output: DisjointSlice<u32>, rounds: u32) {
    let index = thread::index_1d();
    let Some(&(mut x)) = input.get(index.get()) else {
        return;
    };
    for _ in 0..rounds {
        x = x.wrapping_mul(FACTOR).wrapping_add(INCREMENT);
    }
    if let Some(output) = output.get_mut(&index) {
        *output = x;
    }
}
