//! Separate compilation, the callee: a device function that modules of other crates call, and a
//! kernel that calls it at home.
//!
//! Launch: `map_curve_at_home`, 1-D, at least as many threads as elements.
//! Shows: `#[device]` on an `extern "C"` function keeps it in the PTX under its name, for a linker.
//! Within the crate it is inlined as any other function is.
//! Source: Professional CUDA C Programming, chapter 10; CUDA Compiler Driver documentation, "Using
//! Separate Compilation in CUDA".
#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx))]

use lanewise_macros::{device, kernel};
use lanewise_std::DisjointSlice;
use lanewise_std::math::Float;
use lanewise_std::thread::index_1d;

lanewise_std::module!();
// The same for other targets, from build.rs.
lanewise_std::module!(Volta);
lanewise_std::module!(Hopper);
lanewise_std::module!(Blackwell);

/// A cubic that goes through 0: each product is added with one rounding.
#[device]
pub extern "C" fn curve(x: f32) -> f32 {
    let slope = Float::mul_add(Float::mul_add(0.25, x, -0.5), x, 1.0);
    slope * x
}

/// The curve at each element.
#[kernel]
#[launch_contract(dims = 1)]
pub fn map_curve_at_home(input: &[f32], mut output: DisjointSlice<f32>) {
    let i = index_1d();
    let at = i.get();
    if let (Some(x), Some(y)) = (input.get(at), output.get_mut(i)) {
        *y = curve(*x);
    }
}
