//! The end of a kernel's entry point, before the code of the kernel: what was initialised becomes
//! visible to all threads, to asynchronous copies and to the other blocks of the cluster, and the
//! threads wait for each other.

use crate::fence::fence_proxy_async_shared;
use crate::{barrier, cluster, target, thread};

/// The threads of a block meet.
#[doc(hidden)]
#[inline(always)]
pub fn meet_in_block() {
    publish();
    thread::sync_threads();
}

/// The threads of a cluster meet.
#[doc(hidden)]
#[inline(always)]
pub fn meet_in_cluster() {
    publish();
    cluster::sync_cluster();
}

#[inline(always)]
fn publish() {
    if target::is_at_least(90) {
        barrier::fence_init();
        fence_proxy_async_shared();
    }
}
