//! The first derivative of samples, from four neighbours on each side.
//!
//! Launch: 1-D grid of blocks of 256; at least one thread for each element of `output`. `output[i]`
//! is the sum of `c[j] * (input[i + j] - input[i - j])` for j from 1 to 4, with zero for what lies
//! past either end of `input`: the central difference of 8th order, for samples that are 1 apart.
//! Elements past the end of `output` are left alone. Each block loads its samples once, and the 4
//! on each side, which belong to its neighbours: the halo.
//! Shows: all lanes read the same coefficient at the same time. Constant memory is made for this:
//! it needs one access, no register for an address, and no traffic to global memory. From a
//! read-only slice, every warp loads each coefficient.
//! Source: Professional CUDA C Programming, chapter 5.

use lanewise_macros::{device, kernel, shared};
use lanewise_std::thread::{block_idx_x, index_1d, thread_idx_x};
use lanewise_std::{ConstantMemory, DisjointSlice, SharedLine, cache};

/// Threads of a block.
pub const BLOCK: usize = 256;
/// The number of neighbours on each side.
pub const RADIUS: usize = 4;

/// The factors of the differences, the nearest first.
pub const COEFFICIENTS: [f32; RADIUS] = [4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0];

/// The coefficients in constant memory, which the host may change.
#[device]
pub static STENCIL: ConstantMemory<[f32; RADIUS]> = ConstantMemory::new(COEFFICIENTS);

/// Coefficients in constant memory.
#[kernel]
#[launch_contract(dims = 1, block = (BLOCK))]
pub fn stencil_constant(input: &[f32], output: DisjointSlice<f32>) {
    derivative(input, output, |j| STENCIL.at(j));
}

/// Coefficients in global memory, through the read-only path, which the compiler chooses for a
/// slice that is only read.
#[kernel]
#[launch_contract(dims = 1, block = (BLOCK))]
pub fn stencil_readonly(input: &[f32], coefficients: &[f32], output: DisjointSlice<f32>) {
    let Some(coefficients) = coefficients.first_chunk::<RADIUS>() else {
        return; // all threads together, so that none is missing at the barrier
    };
    derivative(input, output, |j| coefficients[j]);
}

/// Coefficients in global memory, through the read-only path, which each load requests.
#[kernel]
#[launch_contract(dims = 1, block = (BLOCK))]
pub fn stencil_ldg(input: &[f32], coefficients: &[f32], output: DisjointSlice<f32>) {
    let Some(coefficients) = coefficients.first_chunk::<RADIUS>() else {
        return; // all threads together, so that none is missing at the barrier
    };
    derivative(input, output, |j| cache::ldg(&coefficients[j]));
}

/// Computes the derivative with the given `coefficient`.
#[inline(always)]
fn derivative(input: &[f32], mut output: DisjointSlice<f32>, coefficient: impl Fn(usize) -> f32) {
    // Thread 0 loads the block's first sample. The halo after the last one, and then the halo
    // before the first one, are the second step of the first threads.
    shared! { static SAMPLES: SharedLine<f32, { BLOCK + 2 * RADIUS }, RADIUS>; }
    let start = block_idx_x() as usize * BLOCK;
    // Before the first sample the index wraps around to one past any end.
    let sample = |i: usize| input.get((start + i).wrapping_sub(RADIUS)).copied();
    let samples = SAMPLES.fill::<2>(|i| sample(i).unwrap_or(0.0));

    let own = thread_idx_x() as usize + RADIUS;
    let mut slope = 0.0;
    for j in 1..=RADIUS {
        let difference = samples.get(own + j) - samples.get(own - j);
        slope += coefficient(j - 1) * difference;
    }
    if let Some(element) = output.get_mut(index_1d()) {
        *element = slope;
    }
}
