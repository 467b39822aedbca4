//! The kernel of SwiGLU, `y = a sigmoid(a) b`.
//!
//! Source: Shazeer, "GLU Variants Improve Transformer", 2020.

#![cfg_attr(not(target_arch = "nvptx64"), allow(unused_imports))]

use lanewise_macros::kernel;
use lanewise_std::DisjointSlice;
use lanewise_std::disjoint::Unrolled;
use lanewise_std::math::Float;

lanewise_std::module!();

/// `y = a sigmoid(a) b`, four elements a thread.
#[kernel]
#[launch_contract(dims = 1, len(a) == len(y), len(b) == len(y))]
pub fn swiglu(a: &[f32], b: &[f32], mut y: DisjointSlice<f32, Unrolled<4>>) {
    y.fill(|i| a[i] / (1.0 + (-a[i]).exp()) * b[i]);
}
