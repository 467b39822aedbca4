//! Separate compilation, the caller: a kernel that calls a function of another crate.
//!
//! Launch: 1-D, at least as many threads as elements.
//! Shows: `#[device]` on an `unsafe extern "C"` block declares what another module defines. The PTX
//! has a real call there, through the calling convention, since no compiler sees both sides: that
//! is what separate compilation costs.
//! Source: Professional CUDA C Programming, chapter 10; CUDA Compiler Driver documentation, "Using
//! Separate Compilation in CUDA".
#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx))]

use lanewise_macros::{device, kernel};
use lanewise_std::DisjointSlice;
use lanewise_std::thread::index_1d;

lanewise_std::module!();

#[device]
unsafe extern "C" {
    /// Defined in `separate-functions`, or by whatever else is linked.
    fn curve(x: f32) -> f32;
}

/// The curve at each element.
#[kernel]
#[launch_contract(dims = 1)]
pub fn map_curve(input: &[f32], mut output: DisjointSlice<f32>) {
    let i = index_1d();
    let at = i.get();
    if let (Some(x), Some(y)) = (input.get(at), output.get_mut(i)) {
        // SAFETY: the function that is linked takes a float and returns one, and has no conditions.
        *y = unsafe { curve(*x) };
    }
}
