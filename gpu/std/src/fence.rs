//! Fences: the order in which other threads see this one's writes.
//!
//! A fence waits for nobody. It says that what this thread wrote before is seen before what it writes after, by the threads
//! of the scope: block, device, or the whole system (host and other devices).
//! CUDA C++ Programming Guide, "Memory Fence Functions"; PTX ISA, "membar / fence".

use crate::atomic::{self, AtomicOrdering, scope};
use crate::intrinsics;

/// Whose view a fence orders: PTX ISA, "Memory Consistency Model: Scope".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The threads of the block: `.cta`.
    Block,
    /// The threads of the device: `.gpu`.
    Device,
    /// All devices and the host: `.sys`.
    System,
}

/// A fence of a scope and an order, as C++'s `atomic_thread_fence`; a relaxed one is none.
#[doc(alias = "cuda::atomic_thread_fence")]
#[doc(alias = "fence.acq_rel")]
#[doc(alias = "fence.sc")]
#[inline(always)]
pub fn fence(scope: Scope, order: AtomicOrdering) {
    match scope {
        Scope::Block => atomic::fence::<scope::Block>(order),
        Scope::Device => atomic::fence::<scope::Device>(order),
        Scope::System => atomic::fence::<scope::System>(order),
    }
}

/// Orders this thread's accesses as the threads of its block see them.
#[doc(alias = "__threadfence_block")]
#[doc(alias = "membar.cta")]
#[inline]
pub fn threadfence_block() {
    // SAFETY: a fence only orders.
    unsafe { intrinsics::membar_cta() }
}

/// Orders this thread's accesses as all threads of the device see them.
#[doc(alias = "__threadfence")]
#[doc(alias = "membar.gl")]
#[inline]
pub fn threadfence() {
    // SAFETY: a fence only orders.
    unsafe { intrinsics::membar_gl() }
}

/// Orders this thread's accesses as the host and other devices see them, too.
#[doc(alias = "__threadfence_system")]
#[doc(alias = "membar.sys")]
#[inline]
pub fn threadfence_system() {
    // SAFETY: a fence only orders.
    unsafe { intrinsics::membar_sys() }
}
