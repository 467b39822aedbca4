//! Exchanges of items between threads: blocked, striped and scattered orders.
//!
//! In *blocked* order, thread `t` holds items `t * ITEMS` to `t * ITEMS + ITEMS - 1`. A scan needs
//! this order. In *striped* order, it holds items `t`, `t + threads`, `t + 2 * threads`, ... Loads
//! and stores need this order, since neighbouring threads then access neighbouring elements, so the
//! accesses are coalesced.

use crate::SharedArray;
use crate::thread::{block_size, sync_threads, thread_rank};
use crate::warp::Shuffle;

/// Writes each item to the index that `to` returns, and reads each item from the index that `from`
/// returns. Both take the item's number in its thread.
#[inline(always)]
fn exchange<T: Shuffle, const ITEMS: usize, const N: usize>(
    items: [T; ITEMS],
    scratch: &SharedArray<T, N>,
    to: impl Fn(usize) -> usize,
    from: impl Fn(usize) -> usize,
) -> [T; ITEMS] {
    assert!(
        block_size() as usize * ITEMS <= N,
        "shared memory for an exchange has an element for each item of the block"
    );
    sync_threads();
    for (item, value) in items.into_iter().enumerate() {
        // SAFETY: the callers' functions give each item its own index, and all threads are
        // between two barriers.
        unsafe { scratch.set(to(item), value) };
    }
    sync_threads();
    // SAFETY: there are as many indices as items, so each element was set before the barrier. The
    // next function that sets it begins with another barrier.
    core::array::from_fn(|item| unsafe { scratch.get(from(item)) })
}

/// Returns the index of an item in the blocked order.
#[inline(always)]
fn blocked<const ITEMS: usize>(item: usize) -> usize {
    thread_rank() as usize * ITEMS + item
}

/// Returns the index of an item in the striped order.
#[inline(always)]
fn striped(item: usize) -> usize {
    item * block_size() as usize + thread_rank() as usize
}

/// Moves the items of the block from the blocked order to the striped order.
///
/// # Panics
/// If `scratch` has fewer elements than the block has items.
#[doc(alias = "cub::BlockExchange")]
#[inline]
#[must_use]
pub fn block_blocked_to_striped<T: Shuffle, const ITEMS: usize, const N: usize>(
    items: [T; ITEMS],
    scratch: &SharedArray<T, N>,
) -> [T; ITEMS] {
    exchange(items, scratch, blocked::<ITEMS>, striped)
}

/// Moves the items of the block from the striped order to the blocked order.
///
/// # Panics
/// If `scratch` has fewer elements than the block has items.
#[doc(alias = "cub::BlockExchange")]
#[inline]
#[must_use]
pub fn block_striped_to_blocked<T: Shuffle, const ITEMS: usize, const N: usize>(
    items: [T; ITEMS],
    scratch: &SharedArray<T, N>,
) -> [T; ITEMS] {
    exchange(items, scratch, striped, blocked::<ITEMS>)
}

/// Moves each item to the position of its rank, in blocked order. With the ranks of
/// [`block_radix_rank`](super::block_radix_rank), this is a step of a sort.
///
/// # Safety
/// The ranks of all items of the block are different, and together they are the numbers from 0 up.
///
/// # Panics
/// If `scratch` has fewer elements than the block has items, or a rank is past its end.
#[doc(alias = "cub::BlockExchange")]
#[inline]
#[must_use]
pub unsafe fn block_scatter_to_blocked<T: Shuffle, const ITEMS: usize, const N: usize>(
    items: [T; ITEMS],
    ranks: [u32; ITEMS],
    scratch: &SharedArray<T, N>,
) -> [T; ITEMS] {
    exchange(
        items,
        scratch,
        |item| ranks[item] as usize,
        blocked::<ITEMS>,
    )
}
