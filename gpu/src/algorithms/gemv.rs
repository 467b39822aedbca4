//! `y = alpha A x + beta y`: a dense matrix and a vector, a warp for each row.
//!
//! `shape` is rows, columns and stride, `factors` are `alpha` and `beta`. `A` has `rows` rows of `columns` elements, `stride` elements from one row to the next. Any shape will do; a matrix or a vector that is
//! shorter than the shape says fails an assertion. Where `beta` is 0, `y` is not read: it may hold anything.
//! Launch: 1-D grid of 1-D blocks of whole warps, any number of them.
//! Shows: every element of the matrix is used once, so there is nothing to keep: the time is that of reading the matrix. Four loads of each
//! lane are under way at once.
//! Source: CUDA study notes, chapter 8 (cuBLAS); BLAS, `sgemv`.

use core::array::from_fn;

use lanewise_macros::kernel;
use lanewise_std::thread::{block_idx_x, grid_dim_x};
use lanewise_std::warp::{
    FULL_MASK, WARP_SIZE, lane_id, shuffle_xor_sync, warp_id, warps_per_block,
};
use lanewise_std::{DisjointSlice, gpu_assert};

/// Loads of a lane that are under way at once.
const UNROLL: usize = 4;

/// A warp for each row.
#[kernel]
#[launch_contract(dims = 1, whole_warps)]
pub fn gemv(a: &[f32], shape: [u32; 3], x: &[f32], factors: [f32; 2], mut y: DisjointSlice<f32>) {
    let [rows, columns, stride] = shape.map(|side| side as usize);
    let [alpha, beta] = factors;
    let last = rows.saturating_sub(1) * stride;
    gpu_assert!(
        rows == 0 || (last <= a.len() && a.len() - last >= columns),
        "the matrix is shorter than its shape says"
    );
    gpu_assert!(x.len() >= columns, "the vector is shorter than a row");
    // What of the old values counts: with a factor of zero nothing, a NaN neither. Bits and no branch in the loop below, of which NVVM
    // would make two loops, one for each answer, with the shuffles in both.
    let kept = if beta == 0.0 { 0 } else { u32::MAX };
    let lanes = WARP_SIZE as usize;
    let first = block_idx_x() as usize * warps_per_block() as usize + warp_id() as usize;
    let step = grid_dim_x() as usize * warps_per_block() as usize;
    for row in (first..rows).step_by(step) {
        // Zero past the row's end: one loop, which all lanes leave together.
        let product = |e: usize| match e < columns {
            // SAFETY: the row is inside the matrix, and `e` below its length.
            true => unsafe { a.get_unchecked(row * stride + e) * x.get_unchecked(e) },
            false => 0.0,
        };
        let mut sums = [0.0f32; UNROLL];
        let mut start = 0;
        while start < columns {
            let e = start + lane_id() as usize;
            let products: [f32; UNROLL] = from_fn(|k| product(e + k * lanes));
            sums = from_fn(|k| sums[k] + products[k]);
            start += UNROLL * lanes;
        }
        let mut sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
        for lanes_away in [16, 8, 4, 2, 1] {
            sum += shuffle_xor_sync(FULL_MASK, sum, lanes_away); // all 32 lanes are here: blocks are whole warps
        }
        if lane_id() == 0 {
            // SAFETY: one lane of the warp that has this row.
            if let Some(y) = unsafe { y.get_unique_mut(row) } {
                *y = alpha * sum + beta * f32::from_bits(y.to_bits() & kept);
            }
        }
    }
}
