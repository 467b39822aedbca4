//! Rows of activations in the training of a language model: layer norm, softmax, and the loss.

use lanewise_macros::{kernel, shared};
use lanewise_std::atomic::{AtomicOrdering, BlockAtomicF32, DeviceAtomicF32};
use lanewise_std::collective::{Max, Sum, block_reduce, warp_reduce};
use lanewise_std::half::Bf16;
use lanewise_std::math::Float;
use lanewise_std::thread::{
    block_dim_x, block_idx_x, global_idx_x, global_size_x, sync_threads, thread_idx_x,
};
use lanewise_std::vector::{Float4, vectors_of};
use lanewise_std::{DisjointSlice, PerBlock, RowPerBlock};

/// What layer norm adds to a variance.
pub const EPS: f32 = 1e-5;

/// Layer norm with a row for each warp. It keeps what the backward pass needs.
#[kernel]
#[launch_contract(dims = 1)]
pub fn ln_forward_warp(
    x: &[f32],
    weight: &[f32],
    bias: &[f32],
    mut y: DisjointSlice<f32>,
    mut means: DisjointSlice<f32>,
    mut scales: DisjointSlice<f32>,
    rows: u32,
    cols: u32,
) {
    let row = (global_idx_x() / 32) as usize;
    let lane = thread_idx_x() as usize % 32;
    let cols = cols as usize;
    if row >= rows as usize {
        return;
    }
    let xr = &x[row * cols..(row + 1) * cols];
    let mut sum = 0.0;
    for c in (lane..cols).step_by(32) {
        sum += xr[c];
    }
    let mean = warp_reduce(sum, Sum) / cols as f32;
    let mut sum = 0.0;
    for c in (lane..cols).step_by(32) {
        let d = xr[c] - mean;
        sum += d * d;
    }
    let scale = (warp_reduce(sum, Sum) / cols as f32 + EPS).rsqrt();
    // SAFETY: the warp has the row, and the lane its columns; lane 0 has the row's figures.
    unsafe {
        for c in (lane..cols).step_by(32) {
            y.write_unique(row * cols + c, (xr[c] - mean) * scale * weight[c] + bias[c]);
        }
        if lane == 0 {
            means.write_unique(row, mean);
            scales.write_unique(row, scale);
        }
    }
}

/// Layer norm with a row for each block, in one pass over it for both sums.
#[kernel]
#[launch_contract(dims = 1)]
pub fn ln_forward_block(
    x: &[f32],
    weight: &[f32],
    bias: &[f32],
    mut y: DisjointSlice<f32>,
    mut means: PerBlock<f32>,
    mut scales: PerBlock<f32>,
    cols: u32,
) {
    let (row, cols) = (block_idx_x() as usize, cols as usize);
    let (tid, threads) = (thread_idx_x() as usize, block_dim_x() as usize);
    let xr = &x[row * cols..(row + 1) * cols];
    let (mut sum, mut squares) = (0.0, 0.0);
    for c in (tid..cols).step_by(threads) {
        sum += xr[c];
        squares += xr[c] * xr[c];
    }
    let mean = block_reduce(sum, Sum) / cols as f32;
    let square = block_reduce(squares, Sum) / cols as f32;
    let scale = (square - mean * mean + EPS).rsqrt();
    for c in (tid..cols).step_by(threads) {
        // SAFETY: the block has the row, and the thread its columns.
        unsafe { y.write_unique(row * cols + c, (xr[c] - mean) * scale * weight[c] + bias[c]) };
    }
    if let (Some(at_mean), Some(at_scale)) = (means.get_mut(), scales.get_mut()) {
        *at_mean = mean;
        *at_scale = scale;
    }
}

/// The number of columns of [`ln_backward`].
pub const WIDTH: usize = 768;

/// The backward pass of layer norm, with a row for each warp: the sums over rows go through shared
/// memory, with one global addition for each column and block.
#[kernel]
#[launch_contract(dims = 1)]
pub fn ln_backward(
    dy: &[f32],
    x: &[f32],
    weight: &[f32],
    means: &[f32],
    scales: &[f32],
    mut dx: DisjointSlice<f32>,
    dweight: &[DeviceAtomicF32],
    dbias: &[DeviceAtomicF32],
    rows: u32,
) {
    shared! {
        static OF_WEIGHT: [f32; WIDTH];
        static OF_BIAS: [f32; WIDTH];
    }
    let tid = thread_idx_x() as usize;
    let threads = block_dim_x() as usize;
    let lane = tid % 32;
    // SAFETY: each thread sets its own cells before the first barrier and reads them after the
    // last; between them only atomics access them. The warp has its rows, and the lane its columns.
    unsafe {
        for c in (tid..WIDTH).step_by(threads) {
            OF_WEIGHT.set(c, 0.0);
            OF_BIAS.set(c, 0.0);
        }
        sync_threads();
        let mut row = (global_idx_x() / 32) as usize;
        while row < rows as usize {
            let first = row * WIDTH;
            let (mean, scale) = (means[row], scales[row]);
            let (mut of_norm, mut of_both) = (0.0, 0.0);
            for c in (lane..WIDTH).step_by(32) {
                let norm = (x[first + c] - mean) * scale;
                let dnorm = weight[c] * dy[first + c];
                of_norm += dnorm;
                of_both += dnorm * norm;
            }
            let of_norm = warp_reduce(of_norm, Sum) / WIDTH as f32;
            let of_both = warp_reduce(of_both, Sum) / WIDTH as f32;
            for c in (lane..WIDTH).step_by(32) {
                let norm = (x[first + c] - mean) * scale;
                let dnorm = weight[c] * dy[first + c];
                BlockAtomicF32::from_ptr(OF_BIAS.address_of(c))
                    .fetch_add(dy[first + c], AtomicOrdering::Relaxed);
                BlockAtomicF32::from_ptr(OF_WEIGHT.address_of(c))
                    .fetch_add(norm * dy[first + c], AtomicOrdering::Relaxed);
                dx.write_unique(first + c, (dnorm - of_norm - norm * of_both) * scale);
            }
            row += (global_size_x() / 32) as usize;
        }
        sync_threads();
        for c in (tid..WIDTH).step_by(threads) {
            dbias[c].fetch_add(OF_BIAS.get(c), AtomicOrdering::Relaxed);
            dweight[c].fetch_add(OF_WEIGHT.get(c), AtomicOrdering::Relaxed);
        }
    }
}

/// Softmax of attention scores, of which row `i` of a sequence counts up to column `i`, with a row
/// for each warp. Maximum and sum come in one pass, four elements at a time.
#[kernel]
#[launch_contract(dims = 1)]
pub fn softmax_causal(x: &[f32], mut y: DisjointSlice<f32>, rows: u32, len: u32, scale: f32) {
    let row = (global_idx_x() / 32) as usize;
    let lane = thread_idx_x() as usize % 32;
    let len = len as usize;
    if row >= rows as usize {
        return;
    }
    let own = row % len;
    let xr = &x[row * len..(row + 1) * len];
    let Some((vectors, _)) = vectors_of::<Float4>(xr) else {
        return;
    };
    let whole = (own + 1) / 4;
    let (mut max, mut sum) = (f32::MIN, 0.0);
    for i in (lane..whole).step_by(32) {
        let v: [f32; 4] = vectors[i].into();
        let old = max;
        for k in 0..4 {
            max = max.max(v[k]);
        }
        sum *= (scale * (old - max)).exp();
        for k in 0..4 {
            sum += (scale * (v[k] - max)).exp();
        }
    }
    let rest = whole * 4 + lane;
    if rest <= own {
        let old = max;
        max = max.max(xr[rest]);
        sum *= (scale * (old - max)).exp();
        sum += (scale * (xr[rest] - max)).exp();
    }
    let largest = warp_reduce(max, Max);
    sum *= (scale * (max - largest)).exp();
    let inverse = 1.0 / warp_reduce(sum, Sum);
    for c in (lane..=own).step_by(32) {
        let value = (scale * (xr[c] - largest)).exp() * inverse;
        // SAFETY: the warp has the row, and the lane its columns.
        unsafe { y.write_unique(row * len + c, value) };
    }
}

/// The loss of each row of logits, which become their own gradients, with a row for each block.
#[kernel]
#[launch_contract(dims = 1)]
pub fn cross_entropy_bf16(
    mut logits: RowPerBlock<Bf16>,
    targets: &[i32],
    mut losses: DisjointSlice<f32>,
    weight: f32,
) {
    let row = block_idx_x() as usize;
    let target = targets[row] as usize;
    let (mut max, mut sum) = (f32::MIN, 0.0);
    for (_, x) in logits.block_stride() {
        let x = x.to_f32();
        if x > max {
            sum *= (max - x).exp();
            max = x;
        }
        sum += (x - max).exp();
    }
    let largest = block_reduce(max, Max);
    let total = block_reduce(sum * (max - largest).exp(), Sum);
    for (c, x) in logits.block_stride() {
        let p = (x.to_f32() - largest).exp() / total;
        let mut d = p;
        if c == target {
            // SAFETY: one thread of the row's block has the target's column.
            unsafe { losses.write_unique(row, -p.ln()) };
            d -= 1.0;
        }
        *x = Bf16::from_f32(d * weight);
    }
}
