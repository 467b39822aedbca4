//! Operations on a warp's lanes. Functions without a mask use all 32 lanes, and functions whose
//! names end in `_sync` take a mask.

use lanewise_std::warp::{FULL_MASK, Match, Shuffle};

pub use lanewise_std::clock::{warp_slot as warpid, warp_slots as nwarpid};
pub use lanewise_std::warp::{
    active_mask, all_sync, any_sync, ballot_sync, lane_id, lanemask_eq, lanemask_ge, lanemask_gt,
    lanemask_le, lanemask_lt, match_all_sync, match_any_sync, redux_sync_add, redux_sync_and,
    redux_sync_max as redux_sync_max_i32, redux_sync_max as redux_sync_max_u32,
    redux_sync_min as redux_sync_min_i32, redux_sync_min as redux_sync_min_u32, redux_sync_or,
    redux_sync_xor, shuffle_down_sync, shuffle_sync, shuffle_up_sync, shuffle_xor_sync,
    sync_warp as sync_mask, sync_warp, warp_id,
};

/// Shuffles are of any type here; there each type has names of its own.
macro_rules! shuffles {
    ($($(#[$doc:meta])* $ours:ident: $plain:ident { $($of_type:ident, $of_type_sync:ident;)* })*) => {$(
        $(#[$doc])*
        #[inline]
        #[must_use]
        pub fn $plain<T: Shuffle>(value: T, lanes: u32) -> T {
            lanewise_std::warp::$ours(FULL_MASK, value, lanes)
        }
        $(
            pub use lanewise_std::warp::$ours as $of_type_sync;
            pub use $plain as $of_type;
        )*
    )*};
}

shuffles! {
    /// The value of a lane.
    shuffle_sync: shuffle {
        shuffle_f32, shuffle_f32_sync; shuffle_u64, shuffle_u64_sync; shuffle_f64, shuffle_f64_sync;
    }
    /// The value of a lane below.
    shuffle_up_sync: shuffle_up {
        shuffle_up_f32, shuffle_up_f32_sync; shuffle_up_u64, shuffle_up_u64_sync; shuffle_up_f64, shuffle_up_f64_sync;
    }
    /// The value of a lane above.
    shuffle_down_sync: shuffle_down {
        shuffle_down_f32, shuffle_down_f32_sync; shuffle_down_u64, shuffle_down_u64_sync; shuffle_down_f64, shuffle_down_f64_sync;
    }
    /// The value of the lane whose number differs in these bits.
    shuffle_xor_sync: shuffle_xor {
        shuffle_xor_f32, shuffle_xor_f32_sync; shuffle_xor_u64, shuffle_xor_u64_sync; shuffle_xor_f64, shuffle_xor_f64_sync;
    }
}

/// Whether `predicate` holds in all lanes.
#[inline]
#[must_use]
pub fn all(predicate: bool) -> bool {
    all_sync(FULL_MASK, predicate)
}

/// Whether `predicate` holds in some lane.
#[inline]
#[must_use]
pub fn any(predicate: bool) -> bool {
    any_sync(FULL_MASK, predicate)
}

/// The lanes in which `predicate` holds.
#[inline]
#[must_use]
pub fn ballot(predicate: bool) -> u32 {
    ballot_sync(FULL_MASK, predicate)
}

/// In how many lanes `predicate` holds.
#[inline]
#[must_use]
pub fn popc(predicate: bool) -> u32 {
    ballot(predicate).count_ones()
}

/// The lanes of `mask` that have the same 64 bits as this one.
#[inline]
#[must_use]
pub fn match_any_i64_sync<T: Match>(mask: u32, value: T) -> u32 {
    match_any_sync(mask, value)
}

/// `mask` if all its lanes have the same 64 bits, else 0.
#[inline]
#[must_use]
pub fn match_all_i64_sync<T: Match>(mask: u32, value: T) -> u32 {
    match_all_sync(mask, value)
}
