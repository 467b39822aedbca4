//! The other fifteen barriers of a block: for some of its warps, while the rest go on.
//!
//! A barrier is made for a number of threads and completes when that many have come. A thread comes
//! by waiting (`sync`) or by only arriving. So one warp can fill a buffer and another empty it: the
//! first arrives, the second waits. PTX ISA, "barrier{.cta}.sync", "barrier{.cta}.red",
//! "barrier{.cta}.arrive".

use crate::intrinsics;
use crate::target::WARP_SIZE;

/// The barrier number `ID` of the block, for a number of threads. Number 0 is
/// [`sync_threads`](super::sync_threads)':
///
/// ```compile_fail,E0080
/// let _ = lanewise_std::thread::NamedBarrier::<0>::of(64);
/// ```
///
/// Whole warps take part: what one thread of a warp does at a barrier counts for all 32, so all of
/// them must do it. All threads that take part name the same number of threads. The simulator
/// reports a barrier that never completes.
#[derive(Clone, Copy, Debug)]
pub struct NamedBarrier<const ID: u32> {
    threads: u32,
}

impl<const ID: u32> NamedBarrier<ID> {
    /// The barrier, for `threads` threads of the block.
    ///
    /// # Panics
    /// If `threads` is not a multiple of 32, or 0.
    #[inline]
    #[must_use]
    pub fn of(threads: u32) -> Self {
        const {
            assert!(
                1 <= ID && ID < 16,
                "a block has barriers 1 to 15 beside that of `sync_threads`"
            )
        };
        assert!(
            threads > 0 && threads.is_multiple_of(WARP_SIZE),
            "whole warps take part in a barrier"
        );
        NamedBarrier { threads }
    }

    /// Waits for all of them. After it, this thread sees what the others wrote to memory before
    /// they came.
    #[doc(alias = "bar.sync")]
    #[inline]
    pub fn sync(&self) {
        // SAFETY: the barrier exists, and `of` made sure of the number of threads.
        unsafe { intrinsics::barrier_sync_count(ID, self.threads) }
    }

    /// Arrives without waiting. The threads that wait see what this thread wrote to memory before.
    #[doc(alias = "bar.arrive")]
    #[inline]
    pub fn arrive(&self) {
        // SAFETY: as in `sync`.
        unsafe { intrinsics::barrier_arrive_count(ID, self.threads) }
    }

    /// [`sync`](Self::sync), and the number of threads whose `predicate` is true.
    #[doc(alias = "bar.red.popc")]
    #[inline]
    #[must_use]
    pub fn sync_count(&self, predicate: bool) -> u32 {
        // SAFETY: as in `sync`.
        unsafe { intrinsics::barrier_red_popc_count(ID, self.threads, predicate) }
    }

    /// [`sync`](Self::sync), and whether `predicate` is true in all of them.
    #[doc(alias = "bar.red.and")]
    #[inline]
    #[must_use]
    pub fn sync_and(&self, predicate: bool) -> bool {
        // SAFETY: as in `sync`.
        unsafe { intrinsics::barrier_red_and_count(ID, self.threads, predicate) }
    }

    /// [`sync`](Self::sync), and whether `predicate` is true in any of them.
    #[doc(alias = "bar.red.or")]
    #[inline]
    #[must_use]
    pub fn sync_or(&self, predicate: bool) -> bool {
        // SAFETY: as in `sync`.
        unsafe { intrinsics::barrier_red_or_count(ID, self.threads, predicate) }
    }
}
