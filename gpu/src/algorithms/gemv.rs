//! `y = alpha A x + beta y`: dense matrices and vectors, with a warp for each row.
//!
//! `shape` is rows, columns, stride and the number of products, `factors` are `alpha` and `beta`.
//! Each `A` has `rows` rows of `columns` elements, `stride` elements from one row to the next. The
//! matrices follow each other, `rows` times `stride` apart, and so do the vectors `x` and `y`. Any
//! shape is allowed; a slice that is shorter than the shape requires fails an assertion. If `beta`
//! is 0, `y` is not read, so it may hold anything. `LANES` is the number of elements in sixteen
//! bytes. Launch: 1-D grid of 1-D blocks of whole warps, any number of them.
//! Shows: every element of the matrix is used once, so caching does not help: the time is that of
//! reading the matrix. A lane has two loads of the matrix of sixteen bytes in flight if rows are
//! aligned to that, and otherwise eight of one element. With more it needs more registers, and
//! fewer warps fit (H200). 40 registers are enough, but without the limit ptxas takes fewer and
//! puts loads behind the operations that wait for others.
//! Source: Professional CUDA C Programming, chapter 8 (cuBLAS); BLAS, `gemv`.

use core::array::from_fn;

use lanewise_macros::kernel;
use lanewise_std::thread::grid_stride_by_warps;
use lanewise_std::unroll::{computed_here, unroll};
use lanewise_std::vector::{Sixteen, vectors_of};
use lanewise_std::warp::{FULL_MASK, WARP_SIZE, lane_id, shuffle_xor_sync};
use lanewise_std::{PerWarp, gpu_assert};

use super::real::Real;

/// Computes the products with a warp for each row.
#[kernel(instances((f32, 4), (f64, 2)))]
#[max_registers(40)]
#[launch_contract(dims = 1, whole_warps)]
pub fn gemv<T: Real, const LANES: usize>(
    a: &[T],
    shape: [u32; 4],
    x: &[T],
    factors: [T; 2],
    mut y: PerWarp<T>,
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
    // The bits of the old values that count. With a factor of zero these are none, also of a NaN.
    let kept = if beta == T::ZERO { 0 } else { u64::MAX };
    for index in grid_stride_by_warps(all) {
        let row = index.get();
        let product = if batch == 1 { 0 } else { row / rows.max(1) };
        let (a, x) = (
            &a[row * stride..][..columns],
            &x[product * columns..][..columns],
        );
        let mut sum = if let Some(a) = vectors_of::<Sixteen<T, LANES>>(a)
            && let Some(x) = vectors_of::<Sixteen<T, LANES>>(x)
        {
            part_of_row(a, x)
        } else {
            part_of_unaligned_row(a, x)
        };
        // The old value is on its way while the lanes add up their sums.
        let old = computed_here(y.get_mut(&index).map_or(T::ZERO, |y| *y)).masked(kept);
        // All 32 lanes are here, because blocks are whole warps.
        unroll::<5>(|i| sum += shuffle_xor_sync(FULL_MASK, sum, 16 >> i));
        if let Some(y) = y.get_mut(&index) {
            *y = alpha * sum + beta * old;
        }
    }
}

/// Loads of the matrix that a lane has in flight: of sixteen bytes, and of one element.
const LOADS: usize = 2;
const SINGLE_LOADS: usize = 8;

/// Returns this lane's part of the product of a row and the vector. Both are groups of `N`
/// neighbours, which are loaded together, and the elements that are left over after them.
#[inline(always)]
fn part_of_row<T: Real, const N: usize>(
    (a, rest_of_a): (&[Sixteen<T, N>], &[T]),
    (x, rest_of_x): (&[Sixteen<T, N>], &[T]),
) -> T {
    let lane = lane_id();
    let x = &x[..a.len()];
    let mut sums = [T::ZERO; LOADS];
    let mut add = |k: usize, Sixteen(a): Sixteen<T, N>, Sixteen(x): Sixteen<T, N>| {
        for i in 0..N {
            sums[k] += a[i] * x[i];
        }
    };
    // In 32 bits: `e as usize` and a constant do not overflow, so one test covers all loads.
    let mut e = lane;
    // ANCHOR: row
    while e as usize + (LOADS - 1) * 32 < a.len() {
        // All loads are issued before the operations that wait for them.
        let of_a: [_; LOADS] = from_fn(|k| a[e as usize + k * 32]);
        let of_x: [_; LOADS] = from_fn(|k| x[e as usize + k * 32]);
        for k in 0..LOADS {
            add(k, of_a[k], of_x[k]);
        }
        e += LOADS as u32 * WARP_SIZE;
    }
    // ANCHOR_END: row
    if let (Some(&a), Some(&x)) = (a.get(e as usize), x.get(e as usize)) {
        add(0, a, x);
    }
    let lane = lane as usize;
    if let (Some(&a), Some(&x)) = (rest_of_a.get(lane), rest_of_x.get(lane)) {
        sums[0] += a * x;
    }
    sums.into_iter().reduce(|a, b| a + b).unwrap_or(T::ZERO)
}

/// Returns this lane's part of the product of a row and the vector, one element after another.
#[inline(always)]
fn part_of_unaligned_row<T: Real>(a: &[T], x: &[T]) -> T {
    let lane = lane_id() as usize;
    let x = &x[..a.len()];
    // Elements past the row's end are zeros. So there is one loop, which all lanes leave together.
    let element = |of: &[T], e: usize| of.get(e).map_or(T::ZERO, |element| *element);
    let mut sums = [T::ZERO; 2];
    for start in (0..a.len()).step_by(SINGLE_LOADS * 32) {
        let of_a: [T; SINGLE_LOADS] = from_fn(|k| element(a, start + lane + k * 32));
        let of_x: [T; SINGLE_LOADS] = from_fn(|k| element(x, start + lane + k * 32));
        for k in 0..SINGLE_LOADS {
            sums[k % 2] += of_a[k] * of_x[k];
        }
    }
    sums[0] + sums[1]
}
