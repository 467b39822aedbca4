//! The position of each thread's digit in the sorted order of the block, which is a step of
//! a radix sort.

use crate::SharedArray;
use crate::atomic::AtomicOrdering;
use crate::groups::WarpGroup;
use crate::thread::{block_size, sync_threads, thread_rank};
use crate::warp::{self, WARP_SIZE};

use super::histogram::count;
use super::{Live, Sum};

/// Returns how many elements of shared memory [`block_radix_rank`] needs, for digits below `digits`
/// in a block of up to `threads` threads.
#[must_use]
pub const fn radix_rank_scratch(digits: usize, threads: usize) -> usize {
    let warps = threads.div_ceil(WARP_SIZE as usize);
    // A count for each digit and warp, and a sum for each warp.
    digits * warps + warps
}

/// Returns how many threads of the block have a lower digit, or the same digit and a lower rank.
/// This is the position of this thread's item in a stable sort.
///
/// A digit of `DIGITS` or above counts as the highest digit.
///
/// # Panics
/// If `scratch` has fewer elements than [`radix_rank_scratch`] returns.
///
/// ```
/// use lanewise_macros::{kernel, shared};
/// use lanewise_std::collective::{block_radix_rank, radix_rank_scratch};
/// use lanewise_std::{DisjointSlice, thread};
///
/// /// Sorts a block's keys by their last four bits.
/// #[kernel]
/// #[launch_contract(dims = 1, block = 64, grid = 1)]
/// pub fn sort_by_digit(keys: &[u32], mut sorted: DisjointSlice<u32>) {
///     shared! { static COUNTS: [u32; radix_rank_scratch(16, 64)]; }
///     let key = keys[thread::index_1d().get()];
///     let place = block_radix_rank::<16, _>(key % 16, &COUNTS);
///     // SAFETY: no two threads have the same rank.
///     unsafe { sorted.write_unique(place as usize, key) };
/// }
/// ```
#[doc(alias = "cub::BlockRadixRank")]
#[inline]
#[must_use]
pub fn block_radix_rank<const DIGITS: usize, const N: usize>(
    digit: u32,
    scratch: &SharedArray<u32, N>,
) -> u32 {
    const { assert!(DIGITS > 0, "a digit has a value") };
    let (threads, rank) = (block_size() as usize, thread_rank() as usize);
    assert!(
        radix_rank_scratch(DIGITS, threads) <= N,
        "shared memory for ranks has a count for each digit and warp, and one for each warp"
    );
    let digit = digit.min(DIGITS as u32 - 1);
    let warps = warp::warps_per_block() as usize;
    let counts = DIGITS * warps;
    // The counts are in the order of the sort: digit by digit, and within a digit warp by warp.
    let place = digit as usize * warps + warp::warp_id() as usize;

    let get = |index| count(scratch, index).load(AtomicOrdering::Relaxed);
    let set = |index, value| count(scratch, index).store(value, AtomicOrdering::Relaxed);
    sync_threads();
    let mut next = rank;
    while next < counts {
        set(next, 0);
        next += threads;
    }
    sync_threads();
    let lanes = Live::here();
    let peers = warp::match_any_sync(lanes.mask(), digit);
    let before_in_warp = (peers & warp::lanemask_lt()).count_ones();
    if before_in_warp == 0 {
        set(place, peers.count_ones()); // the first lane with a digit
    }
    sync_threads();

    // Each thread adds up a row of counts. A scan over the rows then gives the start of each row.
    let row = counts.div_ceil(threads);
    let (start, end) = ((rank * row).min(counts), (rank * row + row).min(counts));
    let mut sum = 0;
    for index in start..end {
        sum += get(index);
    }
    let in_warp = lanes.inclusive_scan(sum, Sum);
    if warp::lane_id() + 1 == WARP_SIZE || rank + 1 == threads {
        set(counts + warp::warp_id() as usize, in_warp); // the last thread of each warp
    }
    sync_threads();
    let mut before = in_warp - sum;
    for warp in 0..warp::warp_id() as usize {
        before += get(counts + warp);
    }
    for index in start..end {
        let this = get(index);
        set(index, before);
        before += this;
    }
    sync_threads();
    get(place) + before_in_warp
}
