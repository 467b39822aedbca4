//! Reductions to one value a block, and normalisations of rows.

use lanewise_macros::{kernel, shared};
use lanewise_std::math::Float;
use lanewise_std::thread::{self, block_dim_x, block_idx_x, sync_threads, thread_idx_x};
use lanewise_std::warp::{FULL_MASK, shuffle_xor_sync};
use lanewise_std::{DisjointSlice, PerBlock, RowPerBlock, SharedArray};

/// The number of threads in a block.
pub const BLOCK: usize = 256;

/// Combines one value of each thread by a tree in shared memory. Every thread gets the result.
pub(super) fn block_tree<T: Copy>(
    cells: SharedArray<T, BLOCK>,
    value: T,
    combine: impl Fn(T, T) -> T,
) -> T {
    let tid = thread_idx_x() as usize;
    // SAFETY: each thread sets its own cell. In each step the lower half reads the upper half,
    // which nobody writes then, and a barrier comes before and after each step.
    unsafe {
        cells.set(tid, value);
        sync_threads();
        let mut k = block_dim_x() as usize / 2;
        while k > 0 {
            if tid < k {
                cells.set(tid, combine(cells.get(tid), cells.get(tid + k)));
            }
            sync_threads();
            k /= 2;
        }
        cells.get(0)
    }
}

/// The sum of each block's part.
#[kernel]
#[launch_contract(dims = 1)]
pub fn sum_grid_stride(x: &[f32], mut partial: PerBlock<f32>) {
    shared! { static S: [f32; BLOCK]; }
    let mut acc = 0.0;
    for i in thread::grid_stride(x.len()) {
        acc += x[i];
    }
    let sum = block_tree(S, acc, |a, b| a + b);
    if let Some(partial) = partial.get_mut() {
        *partial = sum;
    }
}

/// The largest element of each block's part, with the lowest index that has it.
#[kernel]
#[launch_contract(dims = 1)]
pub fn max_argmax(x: &[f32], mut max_out: PerBlock<f32>, mut index_out: PerBlock<i32>) {
    shared! { static S: [(f32, i32); BLOCK]; }
    let mut best = (f32::NEG_INFINITY, -1);
    for i in thread::grid_stride(x.len()) {
        if x[i] > best.0 {
            best = (x[i], i as i32);
        }
    }
    let (value, index) = block_tree(S, best, |a, b| {
        if b.0 > a.0 || (b.0 == a.0 && b.1 < a.1) {
            b
        } else {
            a
        }
    });
    if let (Some(max_out), Some(index_out)) = (max_out.get_mut(), index_out.get_mut()) {
        *max_out = value;
        *index_out = index;
    }
}

/// Layer norm, with a row for each block.
#[kernel]
#[launch_contract(dims = 1)]
pub fn layer_norm_block(x: &[f32], gamma: &[f32], beta: &[f32], mut y: RowPerBlock<f32>, eps: f32) {
    shared! { static S: [f32; BLOCK]; }
    let cols = y.columns();
    let row = &x[block_idx_x() as usize * cols..][..cols];
    let (tid, threads) = (thread_idx_x() as usize, block_dim_x() as usize);

    let mut acc = 0.0;
    for c in (tid..cols).step_by(threads) {
        acc += row[c];
    }
    let mean = block_tree(S, acc, |a, b| a + b) / cols as f32;
    sync_threads(); // all have read the sum before its cells are used again
    let mut acc = 0.0;
    for c in (tid..cols).step_by(threads) {
        acc += (row[c] - mean) * (row[c] - mean);
    }
    let variance = block_tree(S, acc, |a, b| a + b) / cols as f32;
    let inv = 1.0 / (variance + eps).sqrt();
    for (c, y) in y.block_stride() {
        *y = (row[c] - mean) * inv * gamma[c] + beta[c];
    }
}

/// RMS norm, with a row for each warp.
#[kernel]
#[launch_contract(dims = 1)]
pub fn rms_norm_warp(
    x: &[f32],
    gain: &[f32],
    mut y: DisjointSlice<f32>,
    rows: u32,
    cols: u32,
    eps: f32,
) {
    let row = thread::global_idx_x() / 32;
    let lane = thread_idx_x() as usize % 32;
    if row >= rows {
        return;
    }
    let cols = cols as usize;
    let first = row as usize * cols;
    let xr = &x[first..first + cols];
    let mut acc = 0.0;
    for c in (lane..cols).step_by(32) {
        acc += xr[c] * xr[c];
    }
    let mut k = 16;
    while k > 0 {
        acc += shuffle_xor_sync(FULL_MASK, acc, k);
        k /= 2;
    }
    let inv = (acc / cols as f32 + eps).rsqrt();
    for c in (lane..cols).step_by(32) {
        // SAFETY: the warp has the row, and the lane its columns.
        unsafe { y.write_unique(first + c, xr[c] * inv * gain[c]) };
    }
}

/// Softmax, with a row for each block, in three passes.
#[kernel]
#[launch_contract(dims = 1)]
pub fn softmax_block(x: &[f32], mut y: RowPerBlock<f32>) {
    shared! { static S: [f32; BLOCK]; }
    let cols = y.columns();
    let row = &x[block_idx_x() as usize * cols..][..cols];
    let (tid, threads) = (thread_idx_x() as usize, block_dim_x() as usize);

    let mut biggest = f32::NEG_INFINITY;
    for c in (tid..cols).step_by(threads) {
        biggest = biggest.max(row[c]);
    }
    let biggest = block_tree(S, biggest, f32::max);
    sync_threads(); // all have read the maximum before its cells are used again
    let mut sum = 0.0;
    for c in (tid..cols).step_by(threads) {
        sum += (row[c] - biggest).exp();
    }
    let sum = block_tree(S, sum, |a, b| a + b);
    for (c, y) in y.block_stride() {
        *y = (row[c] - biggest).exp() / sum;
    }
}
