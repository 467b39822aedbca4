//! The end of a kernel's entry point, before the code of the kernel.

use crate::kernel::Meeting;
use crate::{barrier, bulk, cluster, target, thread};

/// Makes what the entry point has initialised visible to all threads, to asynchronous copies and
/// to the other blocks of the cluster, and waits as the values need it.
#[doc(hidden)]
#[inline(always)]
pub fn meet(meetings: &[Meeting]) {
    let of_cluster = meetings.contains(&Meeting::Cluster);
    if !of_cluster && !meetings.contains(&Meeting::Block) {
        return;
    }
    if target::is_at_least(90) {
        barrier::fence_init();
        bulk::fence_proxy_async();
    }
    if of_cluster {
        cluster::sync_cluster();
    } else {
        thread::sync_threads();
    }
}
