//! Bulk copies, from `sm_90`: one thread asks for many bytes, and a unit beside the multiprocessor's lanes moves them.
//!
//! Bytes that come into shared memory tell a barrier, which was told how many to expect
//! ([`Barrier::arrive_expect_bytes`](crate::barrier::Barrier::arrive_expect_bytes)). Bytes that leave it belong to a group of the thread that asked: [`commit_group`],
//! [`wait_group_read`] until the source may be overwritten, [`wait_group`] until the destination is written. The unit sees
//! shared memory by another way than the threads do (another *proxy*): what they wrote is there for it after [`fence_proxy_async`].
//!
//! Sizes are multiples of 16 bytes, and so are all addresses. [`crate::tma`] moves boxes of tensors by the same unit.
//! PTX ISA, "Data Movement and Conversion Instructions: cp.async.bulk", "cp.reduce.async.bulk", "fence.proxy"; CUDA C++ Programming
//! Guide, "Tensor Memory Accelerator".

#![cfg_attr(
    not(target_arch = "nvptx64"),
    allow(unused_variables, unreachable_code, dead_code)
)]

mod reduce;

use crate::barrier::{Barrier, Scope};
use crate::state_space::{self, ptx};

pub use reduce::{
    ReduceAdd, ReduceBitwise, ReduceIncDec, ReduceMinMax, store_add, store_and, store_dec,
    store_inc, store_max, store_min, store_or, store_xor,
};

/// Starts a copy of `count` elements from global to this block's shared memory, which tells `barrier` of its bytes.
///
/// # Safety
/// `to` is in this block's shared memory and `from` in global memory, both valid for so many elements and at multiples of 16 bytes, and the bytes are a
/// multiple of 16. Until the phase of the barrier that expects the bytes has ended, no thread writes the source or touches the destination.
#[doc(alias = "cp.async.bulk")]
#[doc(alias = "cuda::device::memcpy_async_tx")]
#[inline]
pub unsafe fn load<T: Copy, S: Scope>(
    to: *mut T,
    from: *const T,
    count: usize,
    barrier: &Barrier<S>,
) {
    let (to, barrier) = (state_space::shared(to), barrier.address());
    // SAFETY: the caller's promise.
    unsafe {
        ptx!("cp.async.bulk":
            "{{ .reg .b64 global; cvta.to.global.u64 global, {from}; \
             cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [{to}], [global], {bytes}, [{barrier}]; }}",
            to = in(reg32) to,
            from = in(reg64) from,
            bytes = in(reg32) (count * size_of::<T>()) as u32,
            barrier = in(reg32) barrier,
            options(nostack, preserves_flags),
        );
    }
}

/// Starts a copy of `count` elements from this block's shared memory to global memory, in this thread's open group.
///
/// # Safety
/// As for [`load`], the other way round: no thread writes the source before [`wait_group_read`], nor touches the destination before
/// [`wait_group`]; and [`fence_proxy_async`] stands between the writes of the source and this.
#[doc(alias = "cp.async.bulk.global.shared::cta")]
#[inline]
pub unsafe fn store<T: Copy>(to: *mut T, from: *const T, count: usize) {
    let from = state_space::shared(from);
    // SAFETY: the caller's promise.
    unsafe {
        ptx!("cp.async.bulk":
            "{{ .reg .b64 global; cvta.to.global.u64 global, {to}; \
             cp.async.bulk.global.shared::cta.bulk_group [global], [{from}], {bytes}; }}",
            to = in(reg64) to,
            from = in(reg32) from,
            bytes = in(reg32) (count * size_of::<T>()) as u32,
            options(nostack, preserves_flags),
        );
    }
}

/// Ends a group: the bulk copies out of shared memory that this thread has started since the last.
#[doc(alias = "cp.async.bulk.commit_group")]
#[inline]
pub fn commit_group() {
    // SAFETY: names no memory.
    unsafe {
        ptx!("cp.async.bulk.commit_group": "cp.async.bulk.commit_group;", options(nostack, preserves_flags));
    }
}

/// Waits until this thread's groups, but for the latest `LEFT`, have written their destinations.
#[doc(alias = "cp.async.bulk.wait_group")]
#[inline]
pub fn wait_group<const LEFT: u32>() {
    // SAFETY: waits for what this thread has started.
    unsafe {
        ptx!("cp.async.bulk.wait_group":
            "cp.async.bulk.wait_group {left};",
            left = const LEFT,
            options(nostack, preserves_flags),
        );
    }
}

/// Waits until this thread's groups, but for the latest `LEFT`, have read their sources, which may then be overwritten.
#[doc(alias = "cp.async.bulk.wait_group.read")]
#[inline]
pub fn wait_group_read<const LEFT: u32>() {
    // SAFETY: waits for what this thread has started.
    unsafe {
        ptx!("cp.async.bulk.wait_group.read":
            "cp.async.bulk.wait_group.read {left};",
            left = const LEFT,
            options(nostack, preserves_flags),
        );
    }
}

/// Lets bulk copies and matrix units see what this thread has written to shared memory; other threads' writes, after a barrier that they come to
/// with this behind them.
#[doc(alias = "fence.proxy.async")]
#[doc(alias = "fence_view_async_shared")]
#[inline]
pub fn fence_proxy_async() {
    // SAFETY: a fence only orders.
    unsafe {
        ptx!("fence.proxy.async": "fence.proxy.async.shared::cta;", options(nostack, preserves_flags));
    }
}
