//! `y = alpha A x + beta y`: dense matrices and vectors, with a warp for each row.
//!
//! `shape` is rows, columns, stride and the number of products, `factors` are `alpha` and `beta`.
//! Each `A` has `rows` rows of `columns` elements, `stride` elements from one row to the next. The
//! matrices follow each other, `rows` times `stride` apart, and so do the vectors `x` and `y`. Any
//! shape is allowed; a slice that is shorter than the shape requires fails an assertion. If `beta`
//! is 0, `y` is not read, so it may hold anything. `LANES` is the number of elements in sixteen
//! bytes. Launch: 1-D grid of 1-D blocks of whole warps, any number of them.
//! Shows: every element of the matrix is used once, so caching does not help: the time is that of
//! reading the matrix. Each lane has four loads of sixteen bytes in flight if rows are aligned to
//! that, and otherwise four of one element.
//! Source: Professional CUDA C Programming, chapter 8 (cuBLAS); BLAS, `gemv`.

use core::array::from_fn;

use lanewise_macros::kernel;
use lanewise_std::thread::grid_stride_by_warps;
use lanewise_std::unroll::unroll;
use lanewise_std::vector::vectors_of;
use lanewise_std::warp::{FULL_MASK, WARP_SIZE, lane_id, shuffle_xor_sync};
use lanewise_std::{PerWarp, gpu_assert};

use super::real::{Lanes, Real};

/// The number of loads that a lane has in flight.
const UNROLL: usize = 4;

/// Computes the products with a warp for each row.
#[kernel(instances((f32, 4), (f64, 2)))]
#[launch_contract(dims = 1, whole_warps)]
pub fn gemv<T: Lanes<LANES>, const LANES: usize>(
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
        let (Some(a), Some(x)) = (
            a.get(row * stride..row * stride + columns),
            x.get(product * columns..(product + 1) * columns),
        ) else {
            continue; // the assertions say that both are there
        };
        let mut sum = if let Some((groups_of_a, _)) = vectors_of::<T::Group>(a)
            && let Some((groups_of_x, _)) = vectors_of::<T::Group>(x)
        {
            part_of_row([a, x], [groups_of_a, groups_of_x], T::Group::into)
        } else {
            part_of_row([a, x], [a, x], |element| [element])
        };
        // All 32 lanes are here, because blocks are whole warps.
        unroll::<5>(|i| sum += shuffle_xor_sync(FULL_MASK, sum, 16 >> i));
        if let Some(y) = y.get_mut(&index) {
            *y = alpha * sum + beta * y.masked(kept);
        }
    }
}

/// Returns this lane's part of the product of a row and the vector. It loads groups of `N`
/// neighbours at a time, and then the remaining elements one by one.
#[inline(always)]
fn part_of_row<T: Real, G: Copy, const N: usize>(
    [a, x]: [&[T]; 2],
    [groups_of_a, groups_of_x]: [&[G]; 2],
    elements: impl Fn(G) -> [T; N],
) -> T {
    let (lane, lanes) = (lane_id() as usize, WARP_SIZE as usize);
    let groups = groups_of_a.len().min(groups_of_x.len());
    let (groups_of_a, groups_of_x) = (&groups_of_a[..groups], &groups_of_x[..groups]);
    // Elements past the row's end are zeros. So there is one loop, which all lanes leave together.
    let group = |of: &[G], e: usize| {
        if e >= groups {
            [T::ZERO; N]
        } else {
            elements(of[e])
        }
    };
    let mut sums = [T::ZERO; UNROLL];
    let mut start = 0;
    // ANCHOR: row
    while start < groups {
        // All loads are issued before the operations that wait for them.
        let of_a: [[T; N]; UNROLL] = from_fn(|k| group(groups_of_a, start + lane + k * lanes));
        let of_x: [[T; N]; UNROLL] = from_fn(|k| group(groups_of_x, start + lane + k * lanes));
        for k in 0..UNROLL {
            for i in 0..N {
                sums[k] += of_a[k][i] * of_x[k][i];
            }
        }
        start += UNROLL * lanes;
    }
    // ANCHOR_END: row
    let rest = groups * N + lane;
    if let (Some(a), Some(x)) = (a.get(rest), x.get(rest)) {
        sums[0] += *a * *x;
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}
