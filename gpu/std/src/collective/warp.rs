//! The warp's collectives. The block's last warp may have fewer than 32 threads.

use crate::groups::{Group, WarpGroup};
use crate::thread;
use crate::warp::{self, Shuffle, WARP_SIZE};

use super::Operator;

/// The first `live` lanes of a warp.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Live {
    live: u32,
}

impl Live {
    /// Returns the lanes of this thread's warp that have a thread.
    #[inline(always)]
    pub(crate) fn here() -> Self {
        if thread::block_size().is_multiple_of(WARP_SIZE) {
            return Live { live: WARP_SIZE };
        }
        let first = thread::thread_rank() & !(WARP_SIZE - 1);
        Self::first(thread::block_size() - first)
    }

    /// Returns the first `lanes` lanes, at most all 32.
    #[inline(always)]
    pub(crate) fn first(lanes: u32) -> Self {
        Live {
            live: lanes.min(WARP_SIZE),
        }
    }
}

impl Group for Live {
    type Rank = u32;

    #[inline(always)]
    fn sync(&self) {
        warp::sync_warp(self.mask());
    }

    #[inline(always)]
    fn rank(&self) -> u32 {
        warp::lane_id()
    }

    #[inline(always)]
    fn size(&self) -> u32 {
        self.live
    }
}

impl WarpGroup for Live {
    const MOST: u32 = WARP_SIZE;

    #[inline(always)]
    fn mask(&self) -> u32 {
        u32::MAX >> (WARP_SIZE - self.live)
    }

    #[inline(always)]
    fn lane_of(&self, rank: u32) -> u32 {
        rank
    }

    #[inline(always)]
    fn shuffle_up<T: Shuffle>(&self, value: T, delta: u32) -> T {
        warp::shuffle_up_sync(self.mask(), value, delta)
    }
}

/// Returns the values of all threads of the warp combined, in each of these threads.
#[doc(alias = "cub::WarpReduce")]
#[inline]
#[must_use]
pub fn warp_reduce<T: Shuffle, O: Operator<T>>(value: T, operator: O) -> T {
    Live::here().reduce(value, operator)
}

/// Returns the values of the warp's threads up to and including this one combined.
#[doc(alias = "cub::WarpScan")]
#[inline]
#[must_use]
pub fn warp_inclusive_scan<T: Shuffle, O: Operator<T>>(value: T, operator: O) -> T {
    Live::here().inclusive_scan(value, operator)
}

/// Returns `initial` and the values of the warp's threads before this one combined. In the first
/// thread, it returns `initial` alone.
///
/// ```
/// use lanewise_macros::kernel;
/// use lanewise_std::collective::{
///     BitAnd, BitOr, BitXor, Operator, warp_broadcast, warp_exclusive_scan, warp_inclusive_scan,
///     warp_reduce,
/// };
/// use lanewise_std::warp::lane_id;
///
/// /// Works with any operator.
/// fn with_the_last<O: Operator<u32> + Copy>(operator: O) -> u32 {
///     operator.combine(warp_reduce(lane_id(), operator), 31)
/// }
///
/// #[kernel]
/// pub fn bits_of_lanes() {
///     let before = warp_exclusive_scan(lane_id(), 0, BitXor);
///     assert_eq!(before ^ lane_id(), warp_inclusive_scan(lane_id(), BitXor));
///     assert_eq!(with_the_last(BitOr), 31);
///     assert_eq!(warp_broadcast(with_the_last(BitAnd), 0), 0);
/// }
/// ```
#[doc(alias = "cub::WarpScan")]
#[inline]
#[must_use]
pub fn warp_exclusive_scan<T: Shuffle, O: Operator<T>>(value: T, initial: T, operator: O) -> T {
    Live::here().exclusive_scan(value, initial, operator)
}

/// Returns the value of lane `lane`, in all threads of the warp.
#[inline]
#[must_use]
pub fn warp_broadcast<T: Shuffle>(value: T, lane: u32) -> T {
    Live::here().shuffle(value, lane)
}
