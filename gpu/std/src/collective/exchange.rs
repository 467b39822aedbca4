//! Exchanges of items between threads: blocked, striped and scattered orders.
//!
//! In *blocked* order, thread `t` holds items `t * ITEMS` to `t * ITEMS + ITEMS - 1`. A scan needs
//! this order. In *striped* order, it holds items `t`, `t + threads`, `t + 2 * threads`, ... Loads
//! and stores need this order, since neighbouring threads then access neighbouring elements, so the
//! accesses are coalesced.
//!
//! The items go through a [`SharedLine`] of the caller. Item `i` of thread `t` is written to cell
//! `i * threads + t`, which belongs to that thread.

use crate::SharedLine;
use crate::thread::{block_size, thread_rank};
use crate::warp::Shuffle;

/// Writes the items to shared memory, and reads each item from the cell that `from` returns for the
/// item's number in its thread.
#[inline(always)]
#[track_caller]
fn exchange<T: Shuffle, const ITEMS: usize, const N: usize>(
    items: [T; ITEMS],
    line: &mut SharedLine<T, N>,
    from: impl Fn(usize) -> usize,
) -> [T; ITEMS] {
    check_length::<ITEMS, N>();
    let mut numbers = 0..;
    let cells = line.fill::<ITEMS>(|_| items[numbers.next().unwrap_or(0)]);
    core::array::from_fn(|item| cells.get(from(item)))
}

#[inline(always)]
#[track_caller]
fn check_length<const ITEMS: usize, const N: usize>() {
    assert!(
        block_size() as usize * ITEMS <= N,
        "shared memory for an exchange has an element for each item of the block"
    );
}

/// Returns the number of an item in the blocked order.
#[inline(always)]
fn blocked<const ITEMS: usize>(item: usize) -> usize {
    thread_rank() as usize * ITEMS + item
}

/// Moves the items of the block from the blocked order to the striped order.
///
/// # Panics
/// If `line` has fewer cells than the block has items.
///
/// ```
/// use lanewise_macros::{kernel, shared};
/// use lanewise_std::SharedLine;
/// use lanewise_std::collective::{
///     block_blocked_to_striped, block_scatter_to_blocked, block_striped_to_blocked,
/// };
/// use lanewise_std::thread::thread_rank;
///
/// /// A block of 32 threads with two items each.
/// #[kernel]
/// #[launch_contract(dims = 1, block = 32)]
/// pub fn exchanges() {
///     shared! { static LINE: SharedLine<u32, 64>; }
///     let own = thread_rank();
///     let striped = block_blocked_to_striped([2 * own, 2 * own + 1], &mut LINE);
///     assert_eq!(striped, [own, own + 32]);
///     let blocked = block_striped_to_blocked(striped, &mut LINE);
///     // SAFETY: no two items have the same place.
///     let turned = unsafe {
///         block_scatter_to_blocked(blocked, [63 - 2 * own, 62 - 2 * own], &mut LINE)
///     };
///     assert_eq!(turned[0], 63 - 2 * own);
/// }
/// ```
#[doc(alias = "cub::BlockExchange")]
#[inline]
#[must_use]
#[track_caller]
pub fn block_blocked_to_striped<T: Shuffle, const ITEMS: usize, const N: usize>(
    items: [T; ITEMS],
    line: &mut SharedLine<T, N>,
) -> [T; ITEMS] {
    let threads = block_size() as usize;
    exchange(items, line, |item| {
        let number = item * threads + thread_rank() as usize;
        number % ITEMS * threads + number / ITEMS
    })
}

/// Moves the items of the block from the striped order to the blocked order.
///
/// ```
/// use lanewise_macros::{kernel, shared};
/// use lanewise_std::collective::{Sum, block_inclusive_scan_items, block_striped_to_blocked};
/// use lanewise_std::thread::{index_1d, thread_rank};
/// use lanewise_std::{DisjointSlice, SharedLine};
///
/// /// The sums of the first two elements, of the first four, and so on, up to 512.
/// #[kernel]
/// #[launch_contract(dims = 1, block = 256, grid = 1)]
/// pub fn sums_of_pairs(input: &[u32], mut sums: DisjointSlice<u32>) {
///     shared! { static ITEMS: SharedLine<u32, 512>; }
///     let own = thread_rank() as usize;
///     let items = [own, own + 256].map(|i| input.get(i).copied().unwrap_or(0));
///     let items = block_striped_to_blocked(items, &mut ITEMS);
///     let [_, of_pair] = block_inclusive_scan_items(items, Sum);
///     if let Some(sum) = sums.get_mut(index_1d()) {
///         *sum = of_pair;
///     }
/// }
/// ```
///
/// # Panics
/// If `line` has fewer cells than the block has items.
#[doc(alias = "cub::BlockExchange")]
#[inline]
#[must_use]
#[track_caller]
pub fn block_striped_to_blocked<T: Shuffle, const ITEMS: usize, const N: usize>(
    items: [T; ITEMS],
    line: &mut SharedLine<T, N>,
) -> [T; ITEMS] {
    exchange(items, line, blocked::<ITEMS>)
}

/// Moves each item to the position of its rank, in blocked order. With the ranks of
/// [`block_radix_rank`](super::block_radix_rank), this is a step of a sort.
///
/// # Safety
/// All threads of the block call it together, and the ranks of all of their items are different.
///
/// # Panics
/// If `line` has fewer cells than the block has items, or a rank is past its end.
#[doc(alias = "cub::BlockExchange")]
#[inline]
#[must_use]
#[track_caller]
pub unsafe fn block_scatter_to_blocked<T: Shuffle, const ITEMS: usize, const N: usize>(
    items: [T; ITEMS],
    ranks: [u32; ITEMS],
    line: &mut SharedLine<T, N>,
) -> [T; ITEMS] {
    check_length::<ITEMS, N>();
    // SAFETY: the caller promises that the ranks are different.
    let cells = unsafe { line.scatter(items, ranks.map(|rank| rank as usize)) };
    core::array::from_fn(|item| cells.get(blocked::<ITEMS>(item)))
}
