//! Fences, which order this thread's writes as other threads see them.
//!
//! A fence does not wait for other threads. The threads of its scope (block, cluster, device, or
//! the whole system with the host and other devices) see the writes before the fence before they
//! see the writes after it. A *proxy* fence orders accesses that reach the same memory in different
//! ways: the accesses of threads, and those of the copy units. CUDA C++ Programming Guide, "Memory
//! Fence Functions"; PTX ISA, "membar / fence", "Memory Consistency Model: Proxies".

#![cfg_attr(
    not(target_arch = "nvptx64"),
    allow(
        unreachable_code,
        clippy::match_same_arms,
        reason = "an instruction is a panic on the host"
    )
)]

use crate::atomic::{self, AtomicOrdering};
use crate::intrinsics;
use crate::scope::{Device, Scope};
use crate::state_space::ptx;
use crate::target;

/// Executes a fence of a scope and an order, like C++'s `atomic_thread_fence`. A relaxed
/// fence does nothing.
///
/// ```
/// # use lanewise_macros::kernel;
/// # #[kernel]
/// # pub fn ordered() {
/// use lanewise_std::atomic::AtomicOrdering;
/// use lanewise_std::fence::fence;
/// use lanewise_std::scope::Device;
///
/// fence(Device, AtomicOrdering::Release);
/// # }
/// ```
#[doc(alias = "cuda::atomic_thread_fence")]
#[doc(alias = "fence.acq_rel")]
#[doc(alias = "fence.sc")]
#[inline(always)]
pub fn fence<S: Scope>(_scope: S, order: AtomicOrdering) {
    if S::IS_CLUSTER {
        fence_cluster(order);
    } else {
        atomic::fence::<S>(order);
    }
}

/// Executes a fence of cluster scope, if the target has clusters.
#[inline(always)]
fn fence_cluster(order: AtomicOrdering) {
    if !target::is_at_least(90) {
        return atomic::fence::<Device>(order);
    }
    // SAFETY: a fence only orders and accesses no memory.
    unsafe {
        match order {
            AtomicOrdering::Relaxed => {}
            AtomicOrdering::SeqCst => {
                ptx!("fence.sc": "fence.sc.cluster;", options(nostack, preserves_flags));
            }
            _ => {
                ptx!("fence.acq_rel": "fence.acq_rel.cluster;", options(nostack, preserves_flags));
            }
        }
    }
}

macro_rules! proxies {
    ($($(#[$doc:meta])* $name:ident = $instruction:literal;)*) => {$(
        $(#[$doc])*
        #[doc(alias = $instruction)]
        #[inline]
        pub fn $name() {
            // SAFETY: a fence only orders and accesses no memory.
            unsafe {
                ptx!($instruction: concat!($instruction, ";"), options(nostack, preserves_flags));
            }
        }
    )*};
}
proxies! {
    /// Orders this thread's accesses to memory of any kind and those of asynchronous copies:
    /// copies see what this thread has written, and this thread sees what they have written. Needs
    /// `sm_90`. For shared memory alone [`fence_proxy_async_shared`] is enough.
    fence_proxy_async = "fence.proxy.async";
    /// Makes this thread's writes to shared memory visible to bulk copies and matrix units. For
    /// the writes of other threads, each of them calls this function first, and then all threads
    /// pass a barrier. Needs `sm_90`.
    #[doc(alias = "fence_view_async_shared")]
    fence_proxy_async_shared = "fence.proxy.async.shared::cta";
    /// Makes this thread's writes to global memory visible to asynchronous copies. It is needed
    /// before a copy reads data that threads wrote in the same launch. Needs `sm_90`.
    fence_proxy_async_global = "fence.proxy.async.global";
    /// Orders accesses to the same memory through different virtual addresses, if the driver has
    /// mapped it several times.
    fence_proxy_alias = "fence.proxy.alias";
}

/// Orders this thread's accesses for the threads of its block.
#[doc(alias = "__threadfence_block")]
#[doc(alias = "membar.cta")]
#[inline]
pub fn threadfence_block() {
    // SAFETY: a fence only orders and accesses no memory.
    unsafe { intrinsics::membar_cta() }
}

/// Orders this thread's accesses for all threads of the device.
#[doc(alias = "__threadfence")]
#[doc(alias = "membar.gl")]
#[inline]
pub fn threadfence() {
    // SAFETY: a fence only orders and accesses no memory.
    unsafe { intrinsics::membar_gl() }
}

/// Orders this thread's accesses for all threads of the device, the host and other devices.
#[doc(alias = "__threadfence_system")]
#[doc(alias = "membar.sys")]
#[inline]
pub fn threadfence_system() {
    // SAFETY: a fence only orders and accesses no memory.
    unsafe { intrinsics::membar_sys() }
}
