//! A warp's lanes.

use lanewise_std::warp::{self, Match, Redux, Shuffle};

pub use lanewise_std::warp::{active_mask as activemask, lane_id, sync_warp};

/// Returns whether `predicate` is true in all lanes of `mask`.
///
/// # Safety
/// As for [`lanewise_std::warp::all_sync`]: all lanes of `mask` call it together.
#[inline]
#[must_use]
pub unsafe fn warp_vote_all(mask: u32, predicate: bool) -> bool {
    warp::all_sync(mask, predicate)
}

/// Returns whether `predicate` is true in any lane of `mask`.
///
/// # Safety
/// All lanes of `mask` call it together.
#[inline]
#[must_use]
pub unsafe fn warp_vote_any(mask: u32, predicate: bool) -> bool {
    warp::any_sync(mask, predicate)
}

/// Returns the lanes of `mask` in which `predicate` is true.
///
/// # Safety
/// All lanes of `mask` call it together.
#[inline]
#[must_use]
pub unsafe fn warp_vote_ballot(mask: u32, predicate: bool) -> u32 {
    warp::ballot_sync(mask, predicate)
}

macro_rules! shuffles {
    ($($(#[$doc:meta])* $name:ident = $ours:ident, |$lane:ident, $by:ident, $width:ident| $inside:expr;)*) => {$(
        $(#[$doc])*
        /// The second value is whether the other lane was in this lane's segment.
        ///
        /// # Safety
        /// All lanes of `mask` call it together; `width` is a power of two, 32 at most.
        #[inline]
        #[must_use]
        pub unsafe fn $name<T: Shuffle>(mask: u32, value: T, $by: u32, $width: u32) -> (T, bool) {
            let $lane = lane_id() % $width;
            (warp::$ours(mask, value, $by, $width), $inside)
        }
    )*};
}

shuffles! {
    /// The value of lane `index` of the segment.
    warp_shuffle_idx = shuffle_sync_width, |_lane, index, width| index < width;
    /// The value of the lane `delta` below.
    warp_shuffle_up = shuffle_up_sync_width, |lane, delta, width| lane >= delta;
    /// The value of the lane `delta` above.
    warp_shuffle_down = shuffle_down_sync_width, |lane, delta, width| lane + delta < width;
    /// The value of the lane whose number differs in the bits of `lanes`.
    warp_shuffle_xor = shuffle_xor_sync_width, |lane, lanes, width| (lane ^ lanes) < width;
}

/// The operation that combines the lanes' values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WarpReductionOp {
    /// The sum, modulo 2^32.
    Add,
    /// The minimum of the lanes' values.
    Min,
    /// The maximum of the lanes' values.
    Max,
    /// The bits that are set in all lanes.
    And,
    /// The bits that are set in any lane.
    Or,
    /// The bits that are set in an odd number of lanes.
    Xor,
}

/// A value that lanes combine by one instruction: `u32` and `i32`.
pub trait WarpReduceValue: Redux {
    /// The bits as a number without a sign.
    #[doc(hidden)]
    fn bits(self) -> u32;
    /// The value of these bits.
    #[doc(hidden)]
    fn of(bits: u32) -> Self;
}

macro_rules! reduced {
    ($($ty:ty)*) => {$(
        impl WarpReduceValue for $ty {
            #[inline]
            fn bits(self) -> u32 {
                self as u32
            }

            #[inline]
            fn of(bits: u32) -> Self {
                bits as Self
            }
        }
    )*};
}
reduced! { u32 i32 }

/// Returns the values of the lanes of `mask` combined, in each of these lanes. Needs `sm_80`.
///
/// # Safety
/// All lanes of `mask` call it together, with one `op`.
#[inline]
#[must_use]
pub unsafe fn warp_reduce<T: WarpReduceValue>(mask: u32, value: T, op: WarpReductionOp) -> T {
    match op {
        WarpReductionOp::Add => warp::redux_sync_add(mask, value),
        WarpReductionOp::Min => warp::redux_sync_min(mask, value),
        WarpReductionOp::Max => warp::redux_sync_max(mask, value),
        WarpReductionOp::And => T::of(warp::redux_sync_and(mask, value.bits())),
        WarpReductionOp::Or => T::of(warp::redux_sync_or(mask, value.bits())),
        WarpReductionOp::Xor => T::of(warp::redux_sync_xor(mask, value.bits())),
    }
}

/// Returns the lanes of `mask` that have the same `value`. Needs `sm_70`.
///
/// # Safety
/// All lanes of `mask` call it together.
#[inline]
#[must_use]
pub unsafe fn warp_match_any<T: Match>(mask: u32, value: T) -> u32 {
    warp::match_any_sync(mask, value)
}

/// Returns `mask` if all its lanes have the same `value`. Needs `sm_70`.
///
/// # Safety
/// All lanes of `mask` call it together.
#[inline]
#[must_use]
pub unsafe fn warp_match_all<T: Match>(mask: u32, value: T) -> Option<u32> {
    (warp::match_all_sync(mask, value) != 0).then_some(mask)
}
