//! The block's collectives. They combine first within each warp, and then the warps' results
//! through shared memory.

use crate::SharedArray;
use crate::groups::{Group, WarpGroup};
use crate::thread::{block_size, sync_threads, thread_rank};
use crate::warp::{self, FULL_MASK, Shuffle, WARP_SIZE};

use super::{Live, Operator};

/// Returns the values of all threads of the block combined, in each of these threads.
///
/// `scratch` has an element for each warp, so 32 elements are always enough.
///
/// # Panics
/// If `scratch` has fewer elements than the block has warps.
#[doc(alias = "cub::BlockReduce")]
#[inline]
#[must_use]
pub fn block_reduce<T: Shuffle, O: Operator<T>, const N: usize>(
    value: T,
    operator: O,
    scratch: &SharedArray<T, N>,
) -> T {
    let lanes = Live::here();
    let of_warp = lanes.reduce(value, operator);
    let warps = Warps::exchange(of_warp, lanes.rank() == 0, scratch);
    if warps.are_whole() {
        let total = if warps.has_lane() {
            // SAFETY: `has_lane` has just returned true.
            let result = unsafe { warps.result_of_lane() };
            Live::first(warps.count).reduce(result, operator)
        } else {
            of_warp
        };
        warp::shuffle_sync(FULL_MASK, total, 0)
    } else {
        warps.fold(operator).1
    }
}

/// Returns the values of the block's threads up to and including this one combined.
///
/// # Panics
/// As for [`block_reduce`].
#[doc(alias = "cub::BlockScan")]
#[inline]
#[must_use]
pub fn block_inclusive_scan<T: Shuffle, O: Operator<T>, const N: usize>(
    value: T,
    operator: O,
    scratch: &SharedArray<T, N>,
) -> T {
    block_inclusive_scan_with_total(value, operator, scratch).0
}

/// Returns the result of [`block_inclusive_scan`], and the values of all threads combined.
///
/// # Panics
/// As for [`block_reduce`].
#[inline]
#[must_use]
pub fn block_inclusive_scan_with_total<T: Shuffle, O: Operator<T>, const N: usize>(
    value: T,
    operator: O,
    scratch: &SharedArray<T, N>,
) -> (T, T) {
    let lanes = Live::here();
    let in_warp = lanes.inclusive_scan(value, operator);
    let (before, total) = before_warp(lanes, in_warp, operator, scratch);
    let scanned = if warp::warp_id() == 0 {
        in_warp
    } else {
        operator.combine(before, in_warp)
    };
    (scanned, total)
}

/// Returns `initial` and the values of the block's threads before this one combined. In the first
/// thread, it returns `initial` alone.
///
/// # Panics
/// As for [`block_reduce`].
#[doc(alias = "cub::BlockScan")]
#[inline]
#[must_use]
pub fn block_exclusive_scan<T: Shuffle, O: Operator<T>, const N: usize>(
    value: T,
    initial: T,
    operator: O,
    scratch: &SharedArray<T, N>,
) -> T {
    block_exclusive_scan_with_total(value, initial, operator, scratch).0
}

/// Returns the result of [`block_exclusive_scan`], and the values of all threads
/// combined without `initial`.
///
/// # Panics
/// As for [`block_reduce`].
#[inline]
#[must_use]
pub fn block_exclusive_scan_with_total<T: Shuffle, O: Operator<T>, const N: usize>(
    value: T,
    initial: T,
    operator: O,
    scratch: &SharedArray<T, N>,
) -> (T, T) {
    let (before, total) = before_thread(value, operator, scratch);
    let scanned = if thread_rank() == 0 {
        initial
    } else {
        operator.combine(initial, before)
    };
    (scanned, total)
}

/// Returns the inclusive scan over the items of all threads, in blocked order: item `i` of thread
/// `t` is number `t * ITEMS + i`.
///
/// # Panics
/// As for [`block_reduce`].
#[inline]
#[must_use]
pub fn block_inclusive_scan_items<
    T: Shuffle,
    O: Operator<T>,
    const ITEMS: usize,
    const N: usize,
>(
    mut items: [T; ITEMS],
    operator: O,
    scratch: &SharedArray<T, N>,
) -> [T; ITEMS] {
    for item in 1..ITEMS {
        items[item] = operator.combine(items[item - 1], items[item]);
    }
    let Some(&last) = items.last() else {
        return items;
    };
    let before = before_thread(last, operator, scratch).0;
    if thread_rank() != 0 {
        for item in &mut items {
            *item = operator.combine(before, *item);
        }
    }
    items
}

/// Returns the exclusive scan over the items of all threads, in the
/// order of [`block_inclusive_scan_items`].
///
/// # Panics
/// As for [`block_reduce`].
#[inline]
#[must_use]
pub fn block_exclusive_scan_items<
    T: Shuffle,
    O: Operator<T>,
    const ITEMS: usize,
    const N: usize,
>(
    mut items: [T; ITEMS],
    initial: T,
    operator: O,
    scratch: &SharedArray<T, N>,
) -> [T; ITEMS] {
    let Some(sum) = items
        .into_iter()
        .reduce(|sum, item| operator.combine(sum, item))
    else {
        return items;
    };
    let mut before = block_exclusive_scan(sum, initial, operator, scratch);
    for item in &mut items {
        let through = operator.combine(before, *item);
        *item = before;
        before = through;
    }
    items
}

/// Returns the value of the thread of rank `source`, in all threads of the block.
///
/// # Panics
/// If the block has no thread of rank `source`. Compilation fails if `scratch` has no element.
#[inline]
#[must_use]
pub fn block_broadcast<T: Shuffle, const N: usize>(
    value: T,
    source: u32,
    scratch: &SharedArray<T, N>,
) -> T {
    const { assert!(N > 0, "the value goes through an element of shared memory") };
    assert!(
        source < block_size(),
        "the block has no thread of this rank"
    );
    sync_threads();
    if thread_rank() == source {
        // SAFETY: one thread sets the element, between two barriers.
        unsafe { scratch.set(0, value) };
    }
    sync_threads();
    // SAFETY: the element was set before the barrier. The next function that sets it begins
    // with another barrier.
    unsafe { scratch.get(0) }
}

/// The results of the block's warps, in shared memory, where all threads can read them.
struct Warps<'a, T, const N: usize> {
    results: &'a SharedArray<T, N>,
    count: u32,
}

impl<'a, T: Shuffle, const N: usize> Warps<'a, T, N> {
    /// Writes each warp's result to shared memory, in the one thread of the warp whose
    /// `has_result` is true.
    #[inline(always)]
    fn exchange(result: T, has_result: bool, results: &'a SharedArray<T, N>) -> Self {
        let count = warp::warps_per_block();
        assert!(
            count as usize <= N,
            "shared memory for a block's collective has an element for each warp"
        );
        sync_threads();
        if has_result {
            // SAFETY: one thread per warp sets the warp's element, between two barriers. By the
            // assertion, there is an element for each warp.
            unsafe { results.set_unchecked(warp::warp_id() as usize, result) };
        }
        sync_threads();
        Warps { results, count }
    }

    /// Returns whether each warp has 32 threads. The result is the same in all threads, so all
    /// combine in the same order.
    #[inline(always)]
    fn are_whole(&self) -> bool {
        block_size().is_multiple_of(WARP_SIZE)
    }

    /// Returns whether there is a warp with the number of this lane.
    #[inline(always)]
    fn has_lane(&self) -> bool {
        warp::lane_id() < self.count
    }

    /// Returns the result of the warp with this lane's number.
    ///
    /// # Safety
    /// There is such a warp: [`Self::has_lane`] is true.
    #[inline(always)]
    unsafe fn result_of_lane(&self) -> T {
        // SAFETY: the caller promises that there is such a warp.
        unsafe { self.result(warp::lane_id()) }
    }

    /// # Safety
    /// The block has a warp of this number. Then there is an element for it:
    /// [`Self::exchange`] asserts that.
    #[inline(always)]
    unsafe fn result(&self, warp: u32) -> T {
        // SAFETY: in bounds, and each warp has set its element before the barrier. The next
        // function that sets it begins with another barrier.
        unsafe { self.results.get_unchecked(warp as usize) }
    }

    /// Combines the warps' results one after another. Returns those of the warps before this one
    /// (in the first warp, its own result), and those of all warps.
    #[inline(always)]
    fn fold<O: Operator<T>>(&self, operator: O) -> (T, T) {
        // SAFETY: every block has a first warp.
        let mut total = unsafe { self.result(0) };
        let mut before = total;
        for warp in 1..self.count {
            if warp == warp::warp_id() {
                before = total;
            }
            // SAFETY: the number is below the number of warps.
            total = operator.combine(total, unsafe { self.result(warp) });
        }
        (before, total)
    }
}

/// Returns the values of the threads before this one combined (unspecified in the first thread),
/// and the values of all threads combined.
#[inline(always)]
fn before_thread<T: Shuffle, O: Operator<T>, const N: usize>(
    value: T,
    operator: O,
    scratch: &SharedArray<T, N>,
) -> (T, T) {
    let lanes = Live::here();
    let in_warp = lanes.inclusive_scan(value, operator);
    let (before_warp, total) = before_warp(lanes, in_warp, operator, scratch);
    let before_lane = lanes.shuffle_up(in_warp, 1);
    let before = match (warp::warp_id(), lanes.rank()) {
        (0, _) => before_lane,
        (_, 0) => before_warp,
        _ => operator.combine(before_warp, before_lane),
    };
    (before, total)
}

/// Returns the values of the warps before this one combined (unspecified in the first warp), and
/// the values of all warps combined. `in_warp` is the scan within the warp.
#[inline(always)]
fn before_warp<T: Shuffle, O: Operator<T>, const N: usize>(
    lanes: Live,
    in_warp: T,
    operator: O,
    scratch: &SharedArray<T, N>,
) -> (T, T) {
    let warps = Warps::exchange(in_warp, lanes.rank() + 1 == lanes.size(), scratch);
    if warps.are_whole() {
        let scanned = if warps.has_lane() {
            // SAFETY: `has_lane` has just returned true.
            let result = unsafe { warps.result_of_lane() };
            Live::first(warps.count).inclusive_scan(result, operator)
        } else {
            in_warp
        };
        // The first warp reads lane 31. Its value is not used there, and the lane exists.
        let before = warp::shuffle_sync(FULL_MASK, scanned, warp::warp_id().wrapping_sub(1));
        let total = warp::shuffle_sync(FULL_MASK, scanned, warps.count - 1);
        (before, total)
    } else {
        warps.fold(operator)
    }
}
