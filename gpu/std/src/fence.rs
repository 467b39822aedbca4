//! Fences: the order in which other threads see this one's writes.
//!
//! A fence waits for nobody. It says that what this thread wrote before is seen before what it writes after, by the threads
//! of the scope: block, device, or the whole system (host and other devices).
//! CUDA C++ Programming Guide, "Memory Fence Functions"; PTX ISA, "membar / fence".

use crate::intrinsics;

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
