//! Groups of copies out of shared memory, and the fence between what threads write and what the
//! unit reads.

use crate::state_space::ptx;

/// Ends a group: the bulk copies from shared to global memory that this thread has started since
/// the last.
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

/// Waits until this thread's groups, but for the latest `LEFT`, have read their sources, which may
/// then be overwritten.
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

/// Lets bulk copies and matrix units see what this thread has written to shared memory; other
/// threads' writes, after a barrier that they come to with this behind them.
#[doc(alias = "fence.proxy.async")]
#[doc(alias = "fence_view_async_shared")]
#[inline]
pub fn fence_proxy_async() {
    // SAFETY: a fence only orders.
    unsafe {
        ptx!("fence.proxy.async": "fence.proxy.async.shared::cta;", options(nostack, preserves_flags));
    }
}
