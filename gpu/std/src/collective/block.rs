//! The block's collectives. They combine first within each warp, and then the warps' results
//! through shared memory.
//!
//! The shared memory belongs to these functions: 32 elements for each type of value. A warp's last
//! thread writes the warp's element, in each of the functions, and it does so in a phase of shared
//! memory ([`phased`](crate::phased)). So threads that part do not race, wherever they meet.

use crate::groups::{Group, WarpGroup};
use crate::memory::phased::exclusive;
use crate::memory::shared::declaration;
use crate::target;
use crate::thread::{block_size, thread_rank};
use crate::warp::{self, FULL_MASK, Shuffle, WARP_SIZE};

use super::{Live, Operator};

/// Returns the values of all threads of the block combined, in each of these threads.
///
/// ```
/// use lanewise_macros::kernel;
/// use lanewise_std::collective::{Sum, block_reduce};
/// use lanewise_std::{PerBlock, thread};
///
/// #[kernel]
/// pub fn sum_of_blocks(input: &[f32], mut sums: PerBlock<f32>) {
///     let value = input.get(thread::index_1d().get()).copied().unwrap_or(0.0);
///     let total = block_reduce(value, Sum);
///     if let Some(sum) = sums.get_mut() {
///         *sum = total;
///     }
/// }
/// ```
#[doc(alias = "cub::BlockReduce")]
#[inline]
#[must_use]
pub fn block_reduce<T: Shuffle, O: Operator<T>>(value: T, operator: O) -> T {
    let lanes = Live::here();
    let of_warp = lanes.reduce(value, operator);
    let warps = Warps::exchange(lanes, of_warp);
    if warps.are_whole() {
        warps.combine(operator)
    } else {
        warps.fold(operator).1
    }
}

/// Returns the values of the block's threads up to and including this one combined.
#[doc(alias = "cub::BlockScan")]
#[inline]
#[must_use]
pub fn block_inclusive_scan<T: Shuffle, O: Operator<T>>(value: T, operator: O) -> T {
    block_inclusive_scan_with_total(value, operator).0
}

/// Returns the result of [`block_inclusive_scan`], and the values of all threads combined.
#[inline]
#[must_use]
pub fn block_inclusive_scan_with_total<T: Shuffle, O: Operator<T>>(
    value: T,
    operator: O,
) -> (T, T) {
    let lanes = Live::here();
    let in_warp = lanes.inclusive_scan(value, operator);
    let (before, total) = before_warp(lanes, in_warp, operator);
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
/// ```
/// use lanewise_macros::kernel;
/// use lanewise_std::collective::{
///     Max, Min, Product, Sum, block_broadcast, block_exclusive_scan, block_exclusive_scan_items,
///     block_exclusive_scan_with_total, block_inclusive_scan, block_inclusive_scan_items,
///     block_inclusive_scan_with_total,
/// };
/// use lanewise_std::thread::thread_rank;
///
/// #[kernel]
/// pub fn scans() {
///     let own = thread_rank();
///     let before = block_exclusive_scan(own, 0, Sum); // 0, 0, 1, 3, ..
///     assert_eq!(before + own, block_inclusive_scan(own, Sum));
///     let (_, total) = block_exclusive_scan_with_total(own, 0, Sum);
///     let (sum, of_all) = block_inclusive_scan_with_total(own, Sum);
///     assert!(sum <= total && total == of_all);
///     // Two items of each thread, in the order of the threads.
///     let [first, second] = block_exclusive_scan_items([own, 1], 0, Max);
///     let [product, _] = block_inclusive_scan_items([own + 1, 1], Product);
///     assert!(first <= second && product > 0);
///     assert_eq!(block_broadcast(block_inclusive_scan(own, Min), 0), 0);
/// }
/// ```
#[doc(alias = "cub::BlockScan")]
#[inline]
#[must_use]
pub fn block_exclusive_scan<T: Shuffle, O: Operator<T>>(value: T, initial: T, operator: O) -> T {
    block_exclusive_scan_with_total(value, initial, operator).0
}

/// Returns the result of [`block_exclusive_scan`], and the values of all threads
/// combined without `initial`.
#[inline]
#[must_use]
pub fn block_exclusive_scan_with_total<T: Shuffle, O: Operator<T>>(
    value: T,
    initial: T,
    operator: O,
) -> (T, T) {
    let (before, total) = before_thread(value, operator);
    let scanned = if thread_rank() == 0 {
        initial
    } else {
        operator.combine(initial, before)
    };
    (scanned, total)
}

/// Returns the inclusive scan over the items of all threads, in blocked order: item `i` of thread
/// `t` is number `t * ITEMS + i`.
#[inline]
#[must_use]
pub fn block_inclusive_scan_items<T: Shuffle, O: Operator<T>, const ITEMS: usize>(
    mut items: [T; ITEMS],
    operator: O,
) -> [T; ITEMS] {
    for item in 1..ITEMS {
        items[item] = operator.combine(items[item - 1], items[item]);
    }
    let Some(&last) = items.last() else {
        return items;
    };
    let before = before_thread(last, operator).0;
    if thread_rank() != 0 {
        for item in &mut items {
            *item = operator.combine(before, *item);
        }
    }
    items
}

/// Returns the exclusive scan over the items of all threads, in the
/// order of [`block_inclusive_scan_items`].
#[inline]
#[must_use]
pub fn block_exclusive_scan_items<T: Shuffle, O: Operator<T>, const ITEMS: usize>(
    mut items: [T; ITEMS],
    initial: T,
    operator: O,
) -> [T; ITEMS] {
    let Some(sum) = items
        .into_iter()
        .reduce(|sum, item| operator.combine(sum, item))
    else {
        return items;
    };
    let mut before = block_exclusive_scan(sum, initial, operator);
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
/// If the block has no thread of rank `source`.
#[inline]
#[must_use]
pub fn block_broadcast<T: Shuffle>(value: T, source: u32) -> T {
    assert!(
        source < block_size(),
        "the block has no thread of this rank"
    );
    let lanes = Live::here();
    let of_lane = lanes.shuffle(value, source % WARP_SIZE);
    // SAFETY: the thread exists, so its warp does.
    unsafe { Warps::exchange(lanes, of_lane).result(source / WARP_SIZE) }
}

/// The results of the block's warps, in shared memory, where all threads can read them.
struct Warps<T> {
    results: *const T,
    count: u32,
}

impl<T: Shuffle> Warps<T> {
    /// Writes the value of each warp's last thread to shared memory.
    #[inline(always)]
    fn exchange(lanes: Live, result: T) -> Self {
        enum OfWarps {}
        let results: *mut T = declaration::<OfWarps, [T; 32]>().cast();
        let is_last = lanes.rank() + 1 == lanes.size();
        exclusive(|| {
            if is_last {
                // SAFETY: in bounds, as a block has at most 32 warps. Which thread is the last one
                // of a warp depends on the block's shape alone, and nobody reads now.
                unsafe { results.add(warp::warp_id() as usize).write(result) };
            }
        });
        Warps {
            results,
            count: warp::warps_per_block(),
        }
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
    /// The block has a warp of this number.
    #[inline(always)]
    unsafe fn result(&self, warp: u32) -> T {
        // SAFETY: in bounds, as the block has this warp. No thread writes now, and all bits are a
        // value: see `phased`.
        unsafe { self.results.add(warp as usize).read() }
    }

    /// Combines the warps' results, in each thread of a whole warp. Nothing in it depends on the
    /// number of warps but conditions of single instructions, so it is short.
    #[inline(always)]
    fn combine<O: Operator<T>>(&self, operator: O) -> T {
        let lane = warp::lane_id();
        // SAFETY: the number is below the number of warps. Lanes after it take the last result, and
        // no lane before takes theirs.
        let mut total = unsafe { self.result(lane.min(self.count - 1)) };
        let has_instruction = O::HAS_REDUX && target::is_at_least(80);
        if has_instruction && self.has_lane() {
            total = Live::first(self.count).reduce(total, operator);
        }
        let mut delta = 1;
        while delta < WARP_SIZE && !has_instruction {
            // A lane has the results of `delta` warps from its own on, as far as there are.
            let after = warp::shuffle_down_sync(FULL_MASK, total, delta);
            if lane + delta < self.count {
                total = operator.combine(total, after);
            }
            delta *= 2;
        }
        warp::shuffle_sync(FULL_MASK, total, 0)
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
fn before_thread<T: Shuffle, O: Operator<T>>(value: T, operator: O) -> (T, T) {
    let lanes = Live::here();
    let in_warp = lanes.inclusive_scan(value, operator);
    let (before_warp, total) = before_warp(lanes, in_warp, operator);
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
fn before_warp<T: Shuffle, O: Operator<T>>(lanes: Live, in_warp: T, operator: O) -> (T, T) {
    let warps = Warps::exchange(lanes, in_warp);
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
