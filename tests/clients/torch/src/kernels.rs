//! The kernels of SwiGLU, `y = a sigmoid(a) b`: forwards and backwards.
//!
//! Source: Shazeer, "GLU Variants Improve Transformer", 2020.

#![cfg_attr(not(target_arch = "nvptx64"), allow(unused_imports))]

use lanewise_macros::kernel;
use lanewise_std::disjoint::Unrolled;
use lanewise_std::math::Float;
use lanewise_std::{DisjointSlice, thread};

lanewise_std::module!();

fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// `y = a sigmoid(a) b`, four elements a thread.
#[kernel]
#[launch_contract(dims = 1, len(a) == len(y), len(b) == len(y))]
pub fn forward(a: &[f32], b: &[f32], mut y: DisjointSlice<f32, Unrolled<4>>) {
    y.fill(|i| a[i] * sigmoid(a[i]) * b[i]);
}

/// The gradients by `a` and `b`, from that by `y`, one element a thread.
#[kernel]
#[launch_contract(dims = 1, len(a) == len(y), len(b) == len(y), len(by_a) == len(y), len(by_b) == len(y))]
pub fn backward(
    a: &[f32],
    b: &[f32],
    y: &[f32],
    mut by_a: DisjointSlice<f32>,
    mut by_b: DisjointSlice<f32>,
) {
    let own = thread::index_1d();
    let i = own.get();
    if let (Some(by_a), Some(by_b)) = (by_a.get_mut(&own), by_b.get_mut(&own)) {
        let s = sigmoid(a[i]);
        *by_a = y[i] * b[i] * s * (1.0 + a[i] * (1.0 - s));
        *by_b = y[i] * a[i] * s;
    }
}
