//! Copies between global and shared memory, with or without a policy for the second-level cache.

use crate::barrier::Barrier;
use crate::cache::{CachePolicy, hinted};
use crate::scope::Scope;
use crate::state_space::{self, ptx};

/// This module's copies from and to global memory, with a policy for the second-level
/// cache. See [`with_policy`].
#[derive(Clone, Copy, Debug)]
pub struct WithPolicy(pub(super) Option<CachePolicy>);

/// Copies without a policy, for which the hardware chooses.
pub(super) const WITHOUT: WithPolicy = WithPolicy(None);

/// Returns the copies of this module with a policy for the second-level cache:
/// `with_policy(CachePolicy::evict_first()).load(..)`.
#[doc(alias = "L2::cache_hint")]
#[inline]
#[must_use]
pub fn with_policy(policy: CachePolicy) -> WithPolicy {
    WithPolicy(Some(policy))
}

/// Returns the number of bytes of this many elements.
pub(super) fn bytes<T>(count: usize) -> u32 {
    (count * size_of::<T>()) as u32
}

/// Starts a copy of `count` elements from global to this block's shared memory. The copy reports
/// its bytes to `barrier`.
///
/// # Safety
/// `to` is in this block's shared memory and `from` in global memory, both valid for this many
/// elements and at multiples of 16 bytes, and the number of bytes is a multiple of 16. Until the
/// phase of the barrier that expects the bytes has ended, no thread writes the source or
/// accesses the destination.
#[doc(alias = "cp.async.bulk")]
#[doc(alias = "cuda::device::memcpy_async_tx")]
#[inline]
pub unsafe fn load<T: Copy, S: Scope>(
    to: *mut T,
    from: *const T,
    count: usize,
    barrier: &Barrier<S>,
) {
    // SAFETY: the caller promises what the called function requires.
    unsafe { WITHOUT.load(to, from, count, barrier) }
}

/// Starts a copy of `count` elements from global memory into several blocks of the cluster: bit `r`
/// of `blocks` is block `r`. The elements go to the same shared address in each block. They are
/// reported to each block's barrier at the address of this one.
///
/// # Safety
/// As for [`load`], in each of the blocks; the cluster has all of these blocks, and none has ended.
#[doc(alias = "cp.async.bulk.multicast::cluster")]
#[inline]
pub unsafe fn load_multicast<T: Copy, S: Scope>(
    to: *mut T,
    from: *const T,
    count: usize,
    barrier: &Barrier<S>,
    blocks: u16,
) {
    // SAFETY: the caller promises what the called function requires.
    unsafe { WITHOUT.load_multicast(to, from, count, barrier, blocks) }
}

/// Starts a copy of `count` elements from this block's shared memory to global memory, as part of
/// this thread's open group.
///
/// # Safety
/// As for [`load`], with source and destination exchanged. No thread writes the source before
/// [`wait_group_read`](super::wait_group_read), or accesses the destination before
/// [`wait_group`](super::wait_group). There is a
/// [`fence_proxy_async_shared`](crate::fence::fence_proxy_async_shared) between the writes of the
/// source and this call.
#[doc(alias = "cp.async.bulk.global.shared::cta")]
#[inline]
pub unsafe fn store<T: Copy>(to: *mut T, from: *const T, count: usize) {
    // SAFETY: the caller promises what the called function requires.
    unsafe { WITHOUT.store(to, from, count) }
}

/// Starts a prefetch of `count` elements of global memory into the second-level cache, for
/// a later copy.
///
/// # Safety
/// `from` is in global memory, valid for this many elements, at a multiple of 16 bytes, and the
/// number of bytes is a multiple of 16.
#[doc(alias = "cp.async.bulk.prefetch.L2")]
#[inline]
pub unsafe fn prefetch<T: Copy>(from: *const T, count: usize) {
    // SAFETY: the caller promises what the called function requires.
    unsafe { WITHOUT.prefetch(from, count) }
}

impl WithPolicy {
    /// Does the same as [`load`], with this policy.
    ///
    /// # Safety
    /// As for [`load`].
    #[inline]
    pub unsafe fn load<T: Copy, S: Scope>(
        self,
        to: *mut T,
        from: *const T,
        count: usize,
        barrier: &Barrier<S>,
    ) {
        let (to, from) = (state_space::shared(to), state_space::global(from));
        let barrier = barrier.address();
        // SAFETY: the caller keeps the contract of this function.
        unsafe {
            hinted!(self.0, "cp.async.bulk":
                ["cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"],
                [" [{to}], [{from}], {bytes}, [{barrier}]"],
                [";"],
                to = in(reg32) to,
                from = in(reg64) from,
                bytes = in(reg32) bytes::<T>(count),
                barrier = in(reg32) barrier,
                options(nostack, preserves_flags),
            );
        }
    }

    /// Does the same as [`load_multicast`], with this policy.
    ///
    /// # Safety
    /// As for [`load_multicast`].
    #[inline]
    pub unsafe fn load_multicast<T: Copy, S: Scope>(
        self,
        to: *mut T,
        from: *const T,
        count: usize,
        barrier: &Barrier<S>,
        blocks: u16,
    ) {
        let (to, from) = (state_space::shared(to), state_space::global(from));
        let barrier = barrier.address();
        // SAFETY: the caller keeps the contract of this function.
        unsafe {
            hinted!(self.0, "cp.async.bulk":
                ["cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"],
                [" [{to}], [{from}], {bytes}, [{barrier}], {blocks}"],
                [";"],
                to = in(reg32) to,
                from = in(reg64) from,
                bytes = in(reg32) bytes::<T>(count),
                barrier = in(reg32) barrier,
                blocks = in(reg16) blocks,
                options(nostack, preserves_flags),
            );
        }
    }

    /// Does the same as [`store`], with this policy.
    ///
    /// # Safety
    /// As for [`store`].
    #[inline]
    pub unsafe fn store<T: Copy>(self, to: *mut T, from: *const T, count: usize) {
        let (to, from) = (state_space::global(to), state_space::shared(from));
        // SAFETY: the caller keeps the contract of this function.
        unsafe {
            hinted!(self.0, "cp.async.bulk":
                ["cp.async.bulk.global.shared::cta.bulk_group"],
                [" [{to}], [{from}], {bytes}"],
                [";"],
                to = in(reg64) to,
                from = in(reg32) from,
                bytes = in(reg32) bytes::<T>(count),
                options(nostack, preserves_flags),
            );
        }
    }

    /// Does the same as [`prefetch`], with this policy.
    ///
    /// # Safety
    /// As for [`prefetch`].
    #[inline]
    pub unsafe fn prefetch<T: Copy>(self, from: *const T, count: usize) {
        let from = state_space::global(from);
        // SAFETY: the caller keeps the contract of this function.
        unsafe {
            hinted!(self.0, "cp.async.bulk.prefetch":
                ["cp.async.bulk.prefetch.L2.global"],
                [" [{from}], {bytes}"],
                [";"],
                from = in(reg64) from,
                bytes = in(reg32) bytes::<T>(count),
                options(nostack, preserves_flags),
            );
        }
    }
}
