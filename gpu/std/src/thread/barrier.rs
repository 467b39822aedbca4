//! The barrier of the block.
//!
//! All threads of the block that have not exited must reach the same barrier. A barrier never
//! completes if it is in one arm of a branch on which the block diverges. The simulator reports it;
//! a GPU may hang or continue with wrong results. PTX ISA, "barrier{.cta}.sync"; CUDA C++
//! Programming Guide, "Synchronization Functions".

use crate::intrinsics;

/// Barrier 0 of the block's sixteen barriers: the one that CUDA's `__syncthreads` uses.
const BARRIER: u32 = 0;

/// The barrier that divides the phases of shared memory (`crate::phased`). No other code uses it.
pub(crate) const PHASES: u32 = 15;

/// The barrier that divides the steps of a [`PartPerBlock`](crate::PartPerBlock). No other code
/// uses it, and a kernel has at most one such parameter.
pub(crate) const STEPS: u32 = 14;

/// The barrier that divides the steps of [`SharedStages`](crate::SharedStages). No other code uses
/// it, and a kernel has at most one of them.
pub(crate) const COPIES: u32 = 13;

/// The barrier that divides the responses of [`WorkStealing`](crate::launch_control::WorkStealing).
/// No other code uses it, and a kernel has at most one of them.
pub(crate) const RESPONSES: u32 = 12;

/// The barrier after which a block's first thread has the block's part of a
/// [`PartPerBlock`](crate::PartPerBlock) alone. A thread passes it at most once.
pub(crate) const CLOSING: u32 = 11;

/// Waits for all threads of the block. After the barrier, every thread sees what the others wrote
/// to shared or global memory before it.
#[doc(alias = "__syncthreads")]
#[doc(alias = "bar.sync")]
#[inline]
pub fn sync_threads() {
    // SAFETY: barrier 0 exists, and the whole block takes part in it.
    unsafe { intrinsics::barrier_sync(BARRIER) }
}

/// Does the same as [`sync_threads`], and returns the number of threads whose `predicate` is true.
#[doc(alias = "__syncthreads_count")]
#[doc(alias = "bar.red.popc")]
#[inline]
#[must_use]
pub fn sync_threads_count(predicate: bool) -> u32 {
    // SAFETY: as in `sync_threads`.
    unsafe { intrinsics::barrier_red_popc(BARRIER, predicate) }
}

/// Does the same as [`sync_threads`], and returns whether `predicate` is true in all threads.
#[doc(alias = "__syncthreads_and")]
#[doc(alias = "bar.red.and")]
#[inline]
#[must_use]
pub fn sync_threads_and(predicate: bool) -> bool {
    // SAFETY: as in `sync_threads`.
    unsafe { intrinsics::barrier_red_and(BARRIER, predicate) }
}

/// Does the same as [`sync_threads`], and returns whether `predicate` is true in any thread.
#[doc(alias = "__syncthreads_or")]
#[doc(alias = "bar.red.or")]
#[inline]
#[must_use]
pub fn sync_threads_or(predicate: bool) -> bool {
    // SAFETY: as in `sync_threads`.
    unsafe { intrinsics::barrier_red_or(BARRIER, predicate) }
}
