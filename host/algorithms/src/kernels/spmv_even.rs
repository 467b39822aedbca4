//! `y = alpha A x + beta y` for a sparse matrix whose rows have about the same length.
//!
//! The elements of neighbouring rows are one piece of memory. A block brings those of its rows to
//! shared memory by asynchronous copies of sixteen bytes, and then each row has a group of threads
//! of its own. So a matrix is read in the order of memory, and the elements of `x` in the order of
//! rows: where neighbouring rows have neighbouring columns, as in a stencil, so have neighbouring
//! lanes. The groups of a warp load from different banks if a group has as many threads as the
//! greatest power of two by which a row's length can be divided.

use core::array::from_fn;

use lanewise_macros::kernel;
use lanewise_std::async_copy::{copy_async_prefix, wait_all};
use lanewise_std::math::Float;
use lanewise_std::thread::{block_idx_x, sync_threads, thread_idx_x};
use lanewise_std::warp::{FULL_MASK, shuffle_xor_sync};
use lanewise_std::{DisjointSlice, DynamicSharedArray, gpu_assert};

use super::gemv::finish;
use super::sixteen::Sixteen;

/// Threads of a block.
pub const THREADS: usize = 128;
/// Elements that are copied together: sixteen bytes of columns.
pub const TOGETHER: usize = 4;
/// Elements that a thread has under way.
const UNROLL: usize = 4;

/// Computes the product. `group` threads, a power of two up to 32, have a row. A block's shared
/// memory has room for `room` elements: values and then columns.
///
/// # Safety
/// `starts` has one element more than the matrix has rows, from 0 to the number of elements, and
/// none is less than the one before. `columns` and `values` have as many elements and begin at
/// multiples of sixteen bytes, and all columns are places of `x`. The rows of a block have at most
/// `room` elements, counted from the last multiple of [`TOGETHER`] that is not after the first.
#[kernel(instances(f32, f64))]
#[launch_bounds(128, 8)]
#[launch_contract(dims = 1, block = (THREADS))]
#[expect(
    clippy::too_many_arguments,
    reason = "a matrix in compressed rows has three arrays"
)]
pub unsafe fn spmv_even<T: Float>(
    starts: &[u32],
    columns: &[u32],
    values: &[T],
    x: &[T],
    mut y: DisjointSlice<T>,
    group: u32,
    room: u32,
    factors: [T; 2],
) {
    let shared = DynamicSharedArray::<Sixteen<u32, TOGETHER>>::get();
    let room = room as usize;
    gpu_assert!(
        room.is_multiple_of(TOGETHER)
            && shared.len() * 16 >= room * (size_of::<T>() + size_of::<u32>()),
        "expected more dynamic shared memory"
    );
    gpu_assert!(
        group.is_power_of_two() && group <= 32,
        "expected a part of a warp"
    );
    let of_values = shared.as_ptr().cast::<T>();
    let of_columns = of_values.wrapping_add(room).cast::<u32>();
    let (thread, group) = (thread_idx_x() as usize, group as usize);
    let (rows, of_block) = (starts.len() - 1, THREADS / group);
    let first = block_idx_x() as usize * of_block;
    let start = |row: usize| {
        // SAFETY: there is a start for each row, and one more.
        unsafe { *starts.get_unchecked(row.min(rows)) as usize }
    };
    let row = first + thread / group;
    let (begin, end) = (start(row), start(row + 1));
    let from = start(first) / TOGETHER * TOGETHER;
    let all = start(first + of_block) - from;
    let mut i = thread * TOGETHER;
    while i < all {
        // SAFETY: the copies are of elements that exist, aligned, to places that are this thread's
        // until the barrier.
        unsafe {
            let left = columns.len() - from - i;
            copy_prefix(of_columns.add(i), columns.as_ptr().add(from + i), left);
            for part in 0..size_of::<T>() / 4 {
                let of_part = 16 / size_of::<T>();
                let i = i + part * of_part;
                copy_prefix(
                    of_values.add(i),
                    values.as_ptr().wrapping_add(from + i),
                    left.saturating_sub(part * of_part),
                );
            }
        }
        i += THREADS * TOGETHER;
    }
    wait_all();
    sync_threads();

    let mut sum = T::default();
    let mut at = begin + thread % group;
    while at < end {
        let loaded: [_; UNROLL] = from_fn(|k| {
            let at = at + k * group;
            // SAFETY: an element of the row, which has been copied.
            (at < end).then(|| unsafe { (*of_columns.add(at - from), *of_values.add(at - from)) })
        });
        let products = loaded.map(|loaded| {
            loaded.map(|(column, value)| {
                // SAFETY: the caller promises that each column is a place of `x`.
                (value, unsafe { *x.get_unchecked(column as usize) })
            })
        });
        for k in 0..UNROLL {
            if let Some((value, x)) = products[k] {
                sum += value * x;
            }
        }
        at += UNROLL * group;
    }
    let mut step = group / 2;
    while step > 0 {
        sum += shuffle_xor_sync(FULL_MASK, sum, step as u32);
        step /= 2;
    }
    if thread % group == 0 && row < rows {
        // SAFETY: the row is this group's alone.
        if let Some(y) = unsafe { y.get_unique_mut(row) } {
            finish(y, sum, factors);
        }
    }
}

/// Starts a copy of sixteen bytes, or of `left` elements if these are fewer.
///
/// # Safety
/// As for [`copy_async_prefix`].
#[inline(always)]
unsafe fn copy_prefix<T>(to: *mut T, from: *const T, left: usize) {
    let bytes = (left * size_of::<T>()).min(16) as u32;
    // SAFETY: as the caller promises.
    unsafe { copy_async_prefix(to.cast::<Sixteen<u32, 4>>(), from.cast(), bytes) }
}
