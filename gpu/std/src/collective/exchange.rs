//! Items that change threads: blocked, striped, scattered.
//!
//! *Blocked*, thread `t` holds items `t * ITEMS` to `t * ITEMS + ITEMS - 1`: what a scan wants.
//! *Striped* it holds items `t`, `t + threads`, `t + 2 * threads`, ...: what loads and stores want,
//! since neighbours then touch neighbours.

use crate::SharedArray;
use crate::thread::{block_size, sync_threads, thread_rank};
use crate::warp::Shuffle;

/// Puts items where `to` says, and takes those from where `from` says; both are given the item's
/// number in its thread.
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
        // SAFETY: the callers' functions give each item a place of its own, and all threads are
        // between two barriers.
        unsafe { scratch.set(to(item), value) };
    }
    sync_threads();
    // SAFETY: as many places as items, so each was set before the barrier; whatever sets it next
    // begins with another.
    core::array::from_fn(|item| unsafe { scratch.get(from(item)) })
}

/// The place of an item in the blocked order.
#[inline(always)]
fn blocked<const ITEMS: usize>(item: usize) -> usize {
    thread_rank() as usize * ITEMS + item
}

/// The place of an item in the striped order.
#[inline(always)]
fn striped(item: usize) -> usize {
    item * block_size() as usize + thread_rank() as usize
}

/// Brings the items of the block from the blocked order into the striped one.
///
/// # Panics
/// If `scratch` has fewer elements than the block items.
#[doc(alias = "cub::BlockExchange")]
#[inline]
#[must_use]
pub fn block_blocked_to_striped<T: Shuffle, const ITEMS: usize, const N: usize>(
    items: [T; ITEMS],
    scratch: &SharedArray<T, N>,
) -> [T; ITEMS] {
    exchange(items, scratch, blocked::<ITEMS>, striped)
}

/// Brings the items of the block from the striped order into the blocked one.
///
/// # Panics
/// If `scratch` has fewer elements than the block items.
#[doc(alias = "cub::BlockExchange")]
#[inline]
#[must_use]
pub fn block_striped_to_blocked<T: Shuffle, const ITEMS: usize, const N: usize>(
    items: [T; ITEMS],
    scratch: &SharedArray<T, N>,
) -> [T; ITEMS] {
    exchange(items, scratch, striped, blocked::<ITEMS>)
}

/// Each item to the place of its rank, in blocked order: with the ranks of
/// [`block_radix_rank`](super::block_radix_rank), a step of a sort.
///
/// # Safety
/// The ranks of all items of the block are different, and together are the numbers from 0 up.
///
/// # Panics
/// If `scratch` has fewer elements than the block items, or a rank is past its end.
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
