//! `y = alpha A x + beta y`: dense matrices and vectors, a warp for each row.
//!
//! `shape` is rows, columns, stride and how many products there are, `factors` are `alpha` and
//! `beta`. Each `A` has `rows` rows of `columns` elements, `stride` elements from one row to the
//! next; the matrices lie one after another, `rows` times `stride` apart, and so do the vectors `x`
//! and `y`. Any shape will do; a slice that is shorter than the shape says fails an assertion.
//! Where `beta` is 0, `y` is not read: it may hold anything. `LANES` are the elements of sixteen
//! bytes. Launch: 1-D grid of 1-D blocks of whole warps, any number of them.
//! Shows: every element of the matrix is used once, so there is nothing to keep: the time is that
//! of reading the matrix. Each lane has four loads of sixteen bytes under way at once, where rows
//! begin at multiples of that; else four of one element.
//! Source: CUDA study notes, chapter 8 (cuBLAS); BLAS, `gemv`.

use core::array::from_fn;

use lanewise_macros::kernel;
use lanewise_std::thread::{block_idx_x, grid_dim_x};
use lanewise_std::unroll::unroll;
use lanewise_std::warp::{
    FULL_MASK, WARP_SIZE, lane_id, shuffle_xor_sync, warp_id, warps_per_block,
};
use lanewise_std::{DisjointSlice, gpu_assert};

use super::real::{Real, Sixteen};

/// Loads of a lane that are under way at once.
const UNROLL: usize = 4;

/// A warp for each row.
#[kernel(instances((f32, 4), (f64, 2)))]
#[launch_contract(dims = 1, whole_warps)]
pub fn gemv<T: Real, const LANES: usize>(
    a: &[T],
    shape: [u32; 4],
    x: &[T],
    factors: [T; 2],
    mut y: DisjointSlice<T>,
) {
    let [rows, columns, stride, batch] = shape.map(|side| side as usize);
    let [alpha, beta] = factors;
    let all = rows * batch;
    let last = all.saturating_sub(1) * stride;
    gpu_assert!(
        all == 0 || (last <= a.len() && a.len() - last >= columns),
        "the matrix is shorter than its shape says"
    );
    gpu_assert!(
        x.len() >= columns * batch,
        "the vector is shorter than a row"
    );
    // What of the old values counts: with a factor of zero nothing, a NaN neither.
    let kept = if beta == T::ZERO { 0 } else { u64::MAX };
    let first = block_idx_x() as usize * warps_per_block() as usize + warp_id() as usize;
    let step = grid_dim_x() as usize * warps_per_block() as usize;
    for row in (first..all).step_by(step) {
        let product = if batch == 1 { 0 } else { row / rows.max(1) };
        // SAFETY: the row is inside the matrix, and its product's vector inside all of them.
        let (a, x) = unsafe {
            (
                a.as_ptr().add(row * stride),
                x.as_ptr().add(product * columns),
            )
        };
        let are_aligned = Sixteen::<T, LANES>::may_be_at(a) && Sixteen::<T, LANES>::may_be_at(x);
        let mut sum = if are_aligned {
            // SAFETY: both have `columns` elements and begin where sixteen bytes may.
            unsafe { part_of_row::<T, LANES>(a, x, columns) }
        } else {
            // SAFETY: both have `columns` elements.
            unsafe { part_of_row::<T, 1>(a, x, columns) }
        };
        // All 32 lanes are here: blocks are whole warps.
        unroll::<5>(|i| sum += shuffle_xor_sync(FULL_MASK, sum, 16 >> i));
        if lane_id() == 0 {
            // SAFETY: one lane of the warp that has this row.
            if let Some(y) = unsafe { y.get_unique_mut(row) } {
                *y = alpha * sum + beta * y.masked(kept);
            }
        }
    }
}

/// What this lane adds to the product of a row and the vector: `N` neighbours a load, and what is
/// left over one by one.
///
/// # Safety
/// There are `columns` elements at both places, and where `N` is more than one, both may be seen as
/// [`Sixteen`].
#[inline(always)]
unsafe fn part_of_row<T: Real, const N: usize>(a: *const T, x: *const T, columns: usize) -> T {
    let (lane, lanes) = (lane_id() as usize, WARP_SIZE as usize);
    let groups = columns / N;
    // Zeros past the row's end: one loop, which all lanes leave together.
    let group = |of: *const T, e: usize| -> [T; N] {
        if e >= groups {
            [T::ZERO; N]
        } else if N == 1 {
            // SAFETY: below the end, as the caller says; an array is as its elements are aligned.
            unsafe { of.cast::<[T; N]>().add(e).read() }
        } else {
            // SAFETY: below the end and aligned, as the caller says.
            unsafe { of.cast::<Sixteen<T, N>>().add(e).read().0 }
        }
    };
    let mut sums = [T::ZERO; UNROLL];
    let mut start = 0;
    while start < groups {
        // All loads first, and then what waits for them.
        let of_a: [[T; N]; UNROLL] = from_fn(|k| group(a, start + lane + k * lanes));
        let of_x: [[T; N]; UNROLL] = from_fn(|k| group(x, start + lane + k * lanes));
        for k in 0..UNROLL {
            for i in 0..N {
                sums[k] += of_a[k][i] * of_x[k][i];
            }
        }
        start += UNROLL * lanes;
    }
    let rest = groups * N + lane;
    if rest < columns {
        // SAFETY: below `columns`.
        sums[0] += unsafe { a.add(rest).read() * x.add(rest).read() };
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}
