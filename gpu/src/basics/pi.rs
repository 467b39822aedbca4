//! Pi as the area under 4 / (1 + x^2) between 0 and 1.
//!
//! Launch: `pi_partial`, a 1-D grid of any size, in 1-D blocks of any size; `pi_final`, one such
//! block. `pi_partial` divides the area into `n` strips, takes the height of each at its middle,
//! and writes the sum of block b's heights to `partials[b]`. `pi_final` adds these up and writes pi
//! to `pi[0]`; with no strips it writes zero.
//! Shows: blocks cannot wait for each other within a kernel, so a step that needs the results of
//! all blocks is a kernel of its own.
//! Source: Fengchen's introduction, chapter 1, section 5.

use lanewise_macros::{kernel, shared};
use lanewise_std::PerBlock;
use lanewise_std::thread::{block_dim_x, grid_stride, sync_threads, thread_idx_x};

/// The most threads that a block can have.
const THREADS: usize = 1024;

/// Writes each block's sum of heights.
#[kernel]
#[launch_contract(dims = 1)]
pub fn pi_partial(mut partials: PerBlock<f32>, n: u32) {
    let mut heights = 0.0;
    for i in grid_stride(n as usize) {
        let x = (i as f32 + 0.5) / n as f32;
        heights += 4.0 / (1.0 + x * x);
    }
    let sum = block_sum(heights);
    if let Some(partial) = partials.get_mut() {
        *partial = sum;
    }
}

/// Adds the blocks' sums and multiplies by the strips' width.
#[kernel]
#[launch_contract(dims = 1)]
pub fn pi_final(partials: &[f32], mut pi: PerBlock<f32>, n: u32) {
    let mut heights = 0.0;
    let mut i = thread_idx_x() as usize;
    while i < partials.len() {
        heights += partials[i];
        i += block_dim_x() as usize;
    }
    let sum = block_sum(heights);
    if let Some(pi) = pi.get_mut() {
        *pi = if n == 0 { 0.0 } else { sum / n as f32 };
    }
}

/// Returns the sum of the block's values in thread 0, and partial sums in the others.
#[inline]
fn block_sum(value: f32) -> f32 {
    shared! { static SUMS: [f32; THREADS]; }
    let thread = thread_idx_x() as usize;
    // SAFETY: each thread sets its own element before the first barrier.
    unsafe { SUMS.set(thread, value) };
    let mut live = block_dim_x() as usize;
    while live > 1 {
        sync_threads(); // this step adds what other threads set in the last
        let half = live.div_ceil(2);
        if thread + half < live {
            // SAFETY: in this step only this thread accesses these two.
            unsafe { SUMS.set(thread, SUMS.get(thread) + SUMS.get(thread + half)) };
        }
        live = half;
    }
    // SAFETY: the thread itself set it, first or in the last step that it took part in.
    unsafe { SUMS.get(thread) }
}
