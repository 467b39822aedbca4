//! The rest of a language model's training: embeddings, activations, positions, attention scores,
//! gradients of biases, and the optimiser.

use lanewise_macros::{kernel, shared};
use lanewise_std::DisjointSlice;
use lanewise_std::atomic::{AtomicOrdering, DeviceAtomicF32};
use lanewise_std::math::Float;
use lanewise_std::thread::{
    self, block_dim_y, block_idx_x, block_idx_y, grid_dim_y, sync_threads, thread_idx_x,
    thread_idx_y,
};
use lanewise_std::vector::{Float2, Float4};

use super::low_precision::AdamW;

/// A token's row of one table plus its position's row of another.
#[kernel]
#[launch_contract(dims = 1)]
pub fn embed_forward(
    mut out: DisjointSlice<f32>,
    tokens: &[i32],
    of_token: &[f32],
    of_position: &[f32],
    len: u32,
    cols: u32,
) {
    let i = thread::index_1d();
    if let Some(out) = out.get_mut(&i) {
        let (cols, len) = (cols as usize, len as usize);
        let (at, c) = (i.get() / cols, i.get() % cols);
        let token = tokens[at] as usize;
        *out = of_token[token * cols + c] + of_position[at % len * cols + c];
    }
}

/// The gradients of both tables of [`embed_forward`], by atomics.
#[kernel]
#[launch_contract(dims = 1)]
pub fn embed_backward(
    dtoken: &[DeviceAtomicF32],
    dposition: &[DeviceAtomicF32],
    dout: &[f32],
    tokens: &[i32],
    len: u32,
    cols: u32,
) {
    let i = thread::global_idx_x() as usize;
    if i < dout.len() {
        let (cols, len) = (cols as usize, len as usize);
        let (at, c) = (i / cols, i % cols);
        let token = tokens[at] as usize;
        dtoken[token * cols + c].fetch_add(dout[i], AtomicOrdering::Relaxed);
        dposition[at % len * cols + c].fetch_add(dout[i], AtomicOrdering::Relaxed);
    }
}

/// Takes queries, keys and values out of (batch, time, 3, head, size), each into
/// (batch, head, time, size).
#[kernel]
#[launch_contract(dims = 1)]
pub fn permute_heads(
    input: &[f32],
    mut q: DisjointSlice<f32>,
    mut k: DisjointSlice<f32>,
    mut v: DisjointSlice<f32>,
    len: usize,
    heads: usize,
    size: usize,
) {
    let i = thread::index_1d();
    if let (Some(q), Some(k), Some(v)) = (q.get_mut(&i), k.get_mut(&i), v.get_mut(&i)) {
        let (batch, rest) = (
            i.get() / (heads * len * size),
            i.get() % (heads * len * size),
        );
        let (head, rest) = (rest / (len * size), rest % (len * size));
        let (t, d) = (rest / size, rest % size);
        let from = (((batch * len + t) * 3) * heads + head) * size + d;
        *q = input[from];
        *k = input[from + heads * size];
        *v = input[from + 2 * heads * size];
    }
}

/// `sqrt(2 / pi)`, of the approximation of GELU by `tanh`.
const SCALE: f32 = 0.797_884_6;

/// `residual + gelu(x + bias)`.
#[kernel]
#[launch_contract(dims = 1)]
pub fn bias_gelu_forward(
    mut out: DisjointSlice<f32>,
    residual: &[f32],
    x: &[f32],
    bias: &[f32],
    cols: u32,
) {
    let i = thread::index_1d();
    if let Some(out) = out.get_mut(&i) {
        let i = i.get();
        let v = x[i] + bias[i % cols as usize];
        let cube = 0.044_715 * v * v * v;
        *out = residual[i] + 0.5 * v * (1.0 + (SCALE * (v + cube)).tanh());
    }
}

/// The gradient of `gelu(x + bias)`.
#[kernel]
#[launch_contract(dims = 1)]
pub fn bias_gelu_backward(
    mut dx: DisjointSlice<f32>,
    dout: &[f32],
    x: &[f32],
    bias: &[f32],
    cols: u32,
) {
    let i = thread::index_1d();
    if let Some(dx) = dx.get_mut(&i) {
        let i = i.get();
        let v = x[i] + bias[i % cols as usize];
        let inner = SCALE * (v + 0.044_715 * v * v * v);
        let tanh = inner.tanh();
        let cosh = inner.cosh();
        let slope = SCALE * (1.0 + 3.0 * 0.044_715 * v * v) / (cosh * cosh);
        *dx = dout[i] * (0.5 * (1.0 + tanh) + v * 0.5 * slope);
    }
}

/// Turns each pair of (batch, time, head, size) by an angle of its position and its place in the
/// head, in place.
#[kernel]
#[launch_contract(dims = 1)]
pub fn rope(mut x: DisjointSlice<Float2>, len: u32, heads: u32, size: u32) {
    let i = thread::index_1d();
    if let Some(x) = x.get_mut(&i) {
        let (len, heads, pairs) = (len as usize, heads as usize, size as usize / 2);
        let (pair, t) = (i.get() % pairs, i.get() / (pairs * heads) % len);
        let frequency = 10_000f32.powf(-2.0 * pair as f32 / size as f32);
        let (sin, cos) = (t as f32 * frequency).sin_cos();
        *x = Float2::new(x.x * cos - x.y * sin, x.x * sin + x.y * cos);
    }
}

/// The scores of attention, with one product of a query and a key for each thread.
#[kernel]
#[launch_contract(dims = 1)]
pub fn attention_scores(
    q: &[f32],
    k: &[f32],
    mut scores: DisjointSlice<f32>,
    len: u32,
    size: u32,
    scale: f32,
) {
    let i = thread::index_1d();
    if let Some(score) = scores.get_mut(&i) {
        let (len, size) = (len as usize, size as usize);
        let (head, rest) = (i.get() / (len * len), i.get() % (len * len));
        let (from, to) = (rest / len, rest % len);
        if to > from {
            *score = -1e4;
            return;
        }
        let query = &q[(head * len + from) * size..][..size];
        let key = &k[(head * len + to) * size..][..size];
        let mut sum = 0.0;
        for d in 0..size {
            sum += query[d] * key[d];
        }
        *score = sum * scale;
    }
}

/// Adds up columns: each block has 32 of them and some of the rows.
#[kernel]
#[launch_contract(dims = 2, block = (32, 16))]
pub fn bias_gradient(dout: &[f32], dbias: &[DeviceAtomicF32], rows: u32, cols: u32) {
    shared! { static PART: [[f32; 32]; 16]; }
    let (tx, ty) = (thread_idx_x() as usize, thread_idx_y() as usize);
    let (rows, cols) = (rows as usize, cols as usize);
    let col = block_idx_x() as usize * 32 + tx;
    let first = (block_idx_y() * block_dim_y()) as usize + ty;
    let step = (grid_dim_y() * block_dim_y()) as usize;
    let mut sum = 0.0;
    if col < cols {
        for row in (first..rows).step_by(step) {
            sum += dout[row * cols + col];
        }
    }
    // SAFETY: each thread sets its own cell, and all are read after the barrier.
    unsafe {
        PART.set_at(ty, tx, sum);
        sync_threads();
        if ty == 0 && col < cols {
            let mut total = 0.0;
            for row in 0..16 {
                total += PART.get_at(row, tx);
            }
            dbias[col].fetch_add(total, AtomicOrdering::Relaxed);
        }
    }
}

/// One step of the optimiser AdamW, four parameters at a time.
#[kernel]
#[launch_contract(dims = 1)]
pub fn adamw_float4(
    mut param: DisjointSlice<Float4>,
    grad: &[Float4],
    mut m: DisjointSlice<Float4>,
    mut v: DisjointSlice<Float4>,
    with: AdamW,
) {
    let i = thread::index_1d();
    if let (Some(param), Some(m), Some(v)) = (param.get_mut(&i), m.get_mut(&i), v.get_mut(&i)) {
        let g: [f32; 4] = grad[i.get()].into();
        let mut new_p: [f32; 4] = (*param).into();
        let mut new_m: [f32; 4] = (*m).into();
        let mut new_v: [f32; 4] = (*v).into();
        for k in 0..4 {
            new_m[k] = with.beta1 * new_m[k] + (1.0 - with.beta1) * g[k];
            new_v[k] = with.beta2 * new_v[k] + (1.0 - with.beta2) * g[k] * g[k];
            let m_hat = new_m[k] / with.correct1;
            let v_hat = new_v[k] / with.correct2;
            new_p[k] -= with.lr * (m_hat / (v_hat.sqrt() + with.eps) + with.decay * new_p[k]);
        }
        *param = new_p.into();
        *m = new_m.into();
        *v = new_v.into();
    }
}
