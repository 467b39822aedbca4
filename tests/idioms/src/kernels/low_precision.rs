//! Floats of 16 bits, vectors of 16 bytes, bytes in words, and an optimiser's step.

use lanewise_macros::{kernel, shared};
use lanewise_std::bits::dp4a;
use lanewise_std::half::{Bf16, F16, F16x2};
use lanewise_std::math::Float;
use lanewise_std::thread::{self, block_dim_x, block_idx_x, thread_idx_x};
use lanewise_std::vector::{Float4, vectors_of};
use lanewise_std::{DisjointSlice, PerBlock};

use super::reductions::{BLOCK, block_tree};

/// `out = a x + y` on pairs of 16-bit floats.
#[kernel]
#[launch_contract(dims = 1)]
pub fn axpy_half2(x: &[F16x2], y: &[F16x2], mut out: DisjointSlice<F16x2>, a: f32) {
    let i = thread::index_1d();
    if let Some(out) = out.get_mut(&i) {
        let a = F16x2::splat(F16::from_f32(a));
        *out = a.mul_add(x[i.get()], y[i.get()]);
    }
}

/// The sum of each row, with a row for each block.
#[kernel]
#[launch_contract(dims = 1)]
pub fn bf16_row_sum(x: &[Bf16], mut out: PerBlock<f32>, cols: u32) {
    shared! { static S: [f32; BLOCK]; }
    let cols = cols as usize;
    let row = &x[block_idx_x() as usize * cols..][..cols];
    let mut acc = 0.0;
    for c in (thread_idx_x() as usize..cols).step_by(block_dim_x() as usize) {
        acc += row[c].to_f32();
    }
    let sum = block_tree(S, acc, |a, b| a + b);
    if let Some(out) = out.get_mut() {
        *out = sum;
    }
}

/// `y = a x`, four floats a thread, and the last few one by one.
#[kernel]
#[launch_contract(dims = 1)]
pub fn float4_scale(x: &[f32], mut y: DisjointSlice<f32>, a: f32) {
    let i = thread::global_idx_x() as usize;
    let Some((vectors, _)) = vectors_of::<Float4>(x) else {
        return;
    };
    // SAFETY: each vector, and each of the last elements, belongs to one thread. A buffer begins on
    // 256 bytes.
    unsafe {
        if i < vectors.len() && i < y.len() / 4 {
            let v = vectors[i];
            *y.as_mut_ptr().cast::<Float4>().add(i) =
                Float4::new(a * v.x, a * v.y, a * v.z, a * v.w);
        }
        let tail = vectors.len() * 4 + i;
        if tail < x.len() {
            y.write_unique(tail, a * x[tail]);
        }
    }
}

/// The dot product of signed bytes, four to a word, one value a block.
#[kernel]
#[launch_contract(dims = 1)]
pub fn dot_i8_dp4a(a: &[[i8; 4]], b: &[[i8; 4]], mut partial: PerBlock<i32>) {
    shared! { static S: [u32; BLOCK]; }
    let mut acc = 0;
    for i in thread::grid_stride(a.len()) {
        acc = dp4a(a[i], b[i], acc);
    }
    let sum = block_tree(S, acc, u32::wrapping_add);
    if let Some(partial) = partial.get_mut() {
        *partial = sum as i32;
    }
}

/// The optimiser's constants of one step.
#[derive(Clone, Copy, Debug, lanewise_macros::Value)]
#[repr(C)]
pub struct AdamW {
    /// The learning rate.
    pub lr: f32,
    /// The decay of the first moment.
    pub beta1: f32,
    /// The decay of the second moment.
    pub beta2: f32,
    /// Keeps the divisor from being zero.
    pub eps: f32,
    /// The decay of the weights.
    pub decay: f32,
    /// `1 - beta1^t`, which makes up for the moment's start at zero.
    pub correct1: f32,
    /// `1 - beta2^t`.
    pub correct2: f32,
}

/// One step of the optimiser AdamW, with a copy of the parameters in bf16.
#[kernel]
#[launch_contract(dims = 1)]
pub fn adamw_step(
    mut param: DisjointSlice<f32>,
    grad: &[f32],
    mut m: DisjointSlice<f32>,
    mut v: DisjointSlice<f32>,
    mut param16: DisjointSlice<Bf16>,
    with: AdamW,
) {
    let i = thread::index_1d();
    let (Some(param), Some(m), Some(v), Some(param16)) = (
        param.get_mut(&i),
        m.get_mut(&i),
        v.get_mut(&i),
        param16.get_mut(&i),
    ) else {
        return;
    };
    let g = grad[i.get()];
    *m = with.beta1 * *m + (1.0 - with.beta1) * g;
    *v = with.beta2 * *v + (1.0 - with.beta2) * g * g;
    let m_hat = *m / with.correct1;
    let v_hat = *v / with.correct2;
    *param -= with.lr * (m_hat / (v_hat.sqrt() + with.eps) + with.decay * *param);
    *param16 = Bf16::from_f32(*param);
}
