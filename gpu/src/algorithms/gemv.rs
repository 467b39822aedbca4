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
use lanewise_std::warp::{FULL_MASK, WARP_SIZE, lane_id, shuffle_xor_sync};
use lanewise_std::{PerWarp, gpu_assert};

use super::real::{Real, Sixteen};

/// The number of loads that a lane has in flight.
const UNROLL: usize = 4;

/// Computes the products with a warp for each row.
#[kernel(instances((f32, 4), (f64, 2)))]
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
        // SAFETY: the row is inside the matrix, and its product's vector is inside the vectors.
        let (a, x) = unsafe {
            (
                a.as_ptr().add(row * stride),
                x.as_ptr().add(product * columns),
            )
        };
        let are_aligned = Sixteen::<T, LANES>::may_be_at(a) && Sixteen::<T, LANES>::may_be_at(x);
        let mut sum = if are_aligned {
            // SAFETY: both have `columns` elements, and both are aligned to sixteen bytes.
            unsafe { part_of_row::<T, LANES>(a, x, columns) }
        } else {
            // SAFETY: both have `columns` elements.
            unsafe { part_of_row::<T, 1>(a, x, columns) }
        };
        // All 32 lanes are here, because blocks are whole warps.
        unroll::<5>(|i| sum += shuffle_xor_sync(FULL_MASK, sum, 16 >> i));
        if let Some(y) = y.get_mut(&index) {
            *y = alpha * sum + beta * y.masked(kept);
        }
    }
}

/// Returns this lane's part of the product of a row and the vector. It loads `N` neighbours at a
/// time, and then the remaining elements one by one.
///
/// # Safety
/// Both places have `columns` elements. If `N` is more than one, both places have the
/// alignment of [`Sixteen`].
#[inline(always)]
unsafe fn part_of_row<T: Real, const N: usize>(a: *const T, x: *const T, columns: usize) -> T {
    let (lane, lanes) = (lane_id() as usize, WARP_SIZE as usize);
    let groups = columns / N;
    // Elements past the row's end are zeros. So there is one loop, which all lanes leave together.
    let group = |of: *const T, e: usize| -> [T; N] {
        if e >= groups {
            [T::ZERO; N]
        } else if N == 1 {
            // SAFETY: below the end, as the caller guarantees; an array is aligned like an element.
            unsafe { of.cast::<[T; N]>().add(e).read() }
        } else {
            // SAFETY: below the end and aligned, as the caller guarantees.
            unsafe { of.cast::<Sixteen<T, N>>().add(e).read().0 }
        }
    };
    let mut sums = [T::ZERO; UNROLL];
    let mut start = 0;
    // ANCHOR: row
    while start < groups {
        // All loads are issued before the operations that wait for them.
        let of_a: [[T; N]; UNROLL] = from_fn(|k| group(a, start + lane + k * lanes));
        let of_x: [[T; N]; UNROLL] = from_fn(|k| group(x, start + lane + k * lanes));
        for k in 0..UNROLL {
            for i in 0..N {
                sums[k] += of_a[k][i] * of_x[k][i];
            }
        }
        start += UNROLL * lanes;
    }
    // ANCHOR_END: row
    let rest = groups * N + lane;
    if rest < columns {
        // SAFETY: below `columns`.
        sums[0] += unsafe { a.add(rest).read() * x.add(rest).read() };
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}
