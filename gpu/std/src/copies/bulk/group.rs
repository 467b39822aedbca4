//! Groups of copies out of shared memory.

use crate::state_space::ptx;

/// Ends a group. The group contains the bulk copies from shared to global memory that this thread
/// has started since its last group.
#[doc(alias = "cp.async.bulk.commit_group")]
#[inline]
pub fn commit_group() {
    // SAFETY: the instruction accesses no memory.
    unsafe {
        ptx!("cp.async.bulk.commit_group": "cp.async.bulk.commit_group;", options(nostack, preserves_flags));
    }
}

/// Waits until all of this thread's groups except the latest `LEFT` have
/// written their destinations.
#[doc(alias = "cp.async.bulk.wait_group")]
#[inline]
pub fn wait_group<const LEFT: u32>() {
    // SAFETY: the instruction only waits for this thread's own copies.
    unsafe {
        ptx!("cp.async.bulk.wait_group":
            "cp.async.bulk.wait_group {left};",
            left = const LEFT,
            options(nostack, preserves_flags),
        );
    }
}

/// Waits until all of this thread's groups except the latest `LEFT` have read their sources. The
/// sources may then be overwritten.
#[doc(alias = "cp.async.bulk.wait_group.read")]
#[inline]
pub fn wait_group_read<const LEFT: u32>() {
    // SAFETY: the instruction only waits for this thread's own copies.
    unsafe {
        ptx!("cp.async.bulk.wait_group.read":
            "cp.async.bulk.wait_group.read {left};",
            left = const LEFT,
            options(nostack, preserves_flags),
        );
    }
}
