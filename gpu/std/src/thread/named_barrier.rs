//! Barriers of some warps of a block, while its other warps continue.
//!
//! A block has sixteen barriers. Number 0 is the one of [`sync_threads`](super::sync_threads). The
//! types that are safe if threads part have barriers of their own, 11 to 15.
//!
//! A barrier is made for a number of threads, and completes when that many have arrived. A thread
//! arrives and waits (`sync`), or it arrives and continues (`arrive`). So one warp can fill a
//! buffer and another empty it: the first warp only arrives, and the second waits. PTX ISA,
//! "barrier{.cta}.sync", "barrier{.cta}.red", "barrier{.cta}.arrive".

use crate::intrinsics;
use crate::target::WARP_SIZE;

use super::barrier::CLOSING;

/// The barrier number `ID` of the block, for a number of threads. Number 0
/// belongs to [`sync_threads`](super::sync_threads),
///
/// ```compile_fail,E0080
/// let _ = lanewise_std::thread::NamedBarrier::<0>::of(64);
/// ```
///
/// 15 to [`phased`](crate::phased), 14 and 11 to [`part_per_block`](crate::part_per_block), 13 to
/// [`SharedStages`](crate::SharedStages), and 12 to
/// [`WorkStealing`](crate::launch_control::WorkStealing):
///
/// ```compile_fail,E0080
/// let _ = lanewise_std::thread::NamedBarrier::<11>::of(64);
/// ```
/// ```compile_fail,E0080
/// let _ = lanewise_std::thread::NamedBarrier::<15>::of(64);
/// ```
///
/// Whole warps take part. What one thread of a warp does at a barrier counts for all 32, so all of
/// them must do the same. All threads that take part pass the same number of threads. The simulator
/// reports a barrier that never completes.
#[derive(Clone, Copy, Debug)]
pub struct NamedBarrier<const ID: u32> {
    threads: u32,
}

impl<const ID: u32> NamedBarrier<ID> {
    /// Returns the barrier, for `threads` threads of the block.
    ///
    /// # Panics
    /// If `threads` is not a multiple of 32, or 0.
    #[inline]
    #[must_use]
    pub fn of(threads: u32) -> Self {
        const {
            assert!(
                1 <= ID && ID < CLOSING,
                "named barriers have the numbers 1 to 10"
            )
        };
        assert!(
            threads > 0 && threads.is_multiple_of(WARP_SIZE),
            "whole warps take part in a barrier"
        );
        NamedBarrier { threads }
    }

    /// Waits for all threads of the barrier. After it, this thread sees what the others wrote to
    /// memory before they arrived.
    #[doc(alias = "bar.sync")]
    #[inline]
    pub fn sync(&self) {
        // SAFETY: the barrier exists, and `of` has checked the number of threads.
        unsafe { intrinsics::barrier_sync_count(ID, self.threads) }
    }

    /// Arrives without waiting. The threads that wait see what this thread wrote to memory
    /// before it arrived.
    #[doc(alias = "bar.arrive")]
    #[inline]
    pub fn arrive(&self) {
        // SAFETY: as in `sync`.
        unsafe { intrinsics::barrier_arrive_count(ID, self.threads) }
    }

    /// Does the same as [`sync`](Self::sync), and returns the number of threads whose
    /// `predicate` is true.
    #[doc(alias = "bar.red.popc")]
    #[inline]
    #[must_use]
    pub fn sync_count(&self, predicate: bool) -> u32 {
        // SAFETY: as in `sync`.
        unsafe { intrinsics::barrier_red_popc_count(ID, self.threads, predicate) }
    }

    /// Does the same as [`sync`](Self::sync), and returns whether `predicate` is true in all
    /// threads of the barrier.
    #[doc(alias = "bar.red.and")]
    #[inline]
    #[must_use]
    pub fn sync_and(&self, predicate: bool) -> bool {
        // SAFETY: as in `sync`.
        unsafe { intrinsics::barrier_red_and_count(ID, self.threads, predicate) }
    }

    /// Does the same as [`sync`](Self::sync), and returns whether `predicate` is true in any thread
    /// of the barrier.
    #[doc(alias = "bar.red.or")]
    #[inline]
    #[must_use]
    pub fn sync_or(&self, predicate: bool) -> bool {
        // SAFETY: as in `sync`.
        unsafe { intrinsics::barrier_red_or_count(ID, self.threads, predicate) }
    }
}
