//! The warp: 32 threads that run together and read each other's registers.
//!
//! Operations whose names end in `_sync` take a mask of the lanes that take part. Each of these
//! lanes has to execute the operation and pass the same mask. Otherwise the result is undefined,
//! and the simulator reports it. [`FULL_MASK`] contains all 32 lanes. CUDA C++ Programming Guide,
//! "Warp Shuffle Functions", "Warp Vote Functions", "Warp Match Functions".

mod elect;
pub(crate) mod operator;
mod reduce;
mod shuffle;
mod vote;

pub use crate::target::WARP_SIZE;
pub use elect::elect_sync;
pub use reduce::{
    Redux, redux_sync_add, redux_sync_and, redux_sync_max, redux_sync_min, redux_sync_or,
    redux_sync_xor,
};
pub use shuffle::{
    Shuffle, shuffle_down_sync, shuffle_down_sync_width, shuffle_sync, shuffle_sync_width,
    shuffle_up_sync, shuffle_up_sync_width, shuffle_xor_sync, shuffle_xor_sync_width,
};
pub use vote::{Match, all_sync, any_sync, ballot_sync, match_all_sync, match_any_sync, uni_sync};

use crate::intrinsics;
use crate::thread;

/// The mask of all lanes.
pub const FULL_MASK: u32 = u32::MAX;

/// Returns this thread's lane, 0 to 31.
#[doc(alias = "%laneid")]
#[inline]
#[must_use]
pub fn lane_id() -> u32 {
    // SAFETY: every thread may read its special registers at any time.
    unsafe { intrinsics::laneid() }
}

/// Returns the number of this thread's warp in its block. Threads are assigned to warps in the
/// order of [`thread::thread_rank`].
#[inline]
#[must_use]
pub fn warp_id() -> u32 {
    thread::thread_rank() / WARP_SIZE
}

/// Returns the number of warps in a block. The last warp may have fewer than 32 threads.
#[inline]
#[must_use]
pub fn warps_per_block() -> u32 {
    thread::block_size().div_ceil(WARP_SIZE)
}

macro_rules! lane_masks {
    ($($(#[$attribute:meta])* $name:ident;)*) => {
        $(
            $(#[$attribute])*
            #[inline]
            #[must_use]
            pub fn $name() -> u32 {
                // SAFETY: every thread may read its special registers at any time.
                unsafe { intrinsics::$name() }
            }
        )*
    };
}

lane_masks! {
    /// Returns the bit of this lane.
    #[doc(alias = "%lanemask_eq")]
    lanemask_eq;
    /// Returns the bits of the lanes below this one.
    #[doc(alias = "%lanemask_lt")]
    lanemask_lt;
    /// Returns the bits of this lane and the lanes below it.
    #[doc(alias = "%lanemask_le")]
    lanemask_le;
    /// Returns the bits of the lanes above this one.
    #[doc(alias = "%lanemask_gt")]
    lanemask_gt;
    /// Returns the bits of this lane and the lanes above it.
    #[doc(alias = "%lanemask_ge")]
    lanemask_ge;
}

/// Returns the lanes that execute this instruction together with this one, at this moment.
///
/// It does not contain all lanes that *could* reach this point. So do not use it to compute the
/// mask of a `_sync` operation.
#[doc(alias = "__activemask")]
#[doc(alias = "activemask.b32")]
#[inline]
#[must_use]
pub fn active_mask() -> u32 {
    // SAFETY: the instruction only reads which lanes are active.
    unsafe { intrinsics::activemask() }
}

/// Waits for the lanes in `mask`. After the barrier, each of them sees what the others wrote to
/// memory before it.
#[doc(alias = "__syncwarp")]
#[doc(alias = "bar.warp.sync")]
#[inline]
pub fn sync_warp(mask: u32) {
    // SAFETY: a barrier only orders threads and accesses no memory.
    unsafe { intrinsics::bar_warp_sync(mask) }
}
