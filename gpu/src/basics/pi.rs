//! Pi as the area under 4 / (1 + x^2) between 0 and 1.
//!
//! Launch: `pi_partial`, a 1-D grid of any size, in 1-D blocks of any size; `pi_final`, one such
//! block. `pi_partial` divides the area into `n` strips, takes the height of each at its middle,
//! and writes the sum of block b's heights to `partials[b]`. `pi_final` adds these up and writes pi
//! to `pi[0]`; with no strips it writes zero.
//! Shows: blocks cannot wait for each other within a kernel, so a step that needs the results of
//! all blocks is a kernel of its own.
//! Source: Fengchen's introduction, chapter 1, section 5.

use lanewise_macros::kernel;
use lanewise_std::PerBlock;
use lanewise_std::collective::{Sum, block_reduce};
use lanewise_std::thread::{block_stride, grid_stride};

/// Writes each block's sum of heights.
#[kernel]
#[launch_contract(dims = 1)]
pub fn pi_partial(mut partials: PerBlock<f32>, n: u32) {
    let mut heights = 0.0;
    for i in grid_stride(n as usize) {
        let x = (i as f32 + 0.5) / n as f32;
        heights += 4.0 / (1.0 + x * x);
    }
    let sum = block_reduce(heights, Sum);
    if let Some(partial) = partials.get_mut() {
        *partial = sum;
    }
}

/// Adds the blocks' sums and multiplies by the strips' width.
#[kernel]
#[launch_contract(dims = 1)]
pub fn pi_final(partials: &[f32], mut pi: PerBlock<f32>, n: u32) {
    let heights: f32 = block_stride(partials.len()).map(|i| partials[i]).sum();
    let sum = block_reduce(heights, Sum);
    if let Some(pi) = pi.get_mut() {
        *pi = if n == 0 { 0.0 } else { sum / n as f32 };
    }
}
