//! Atomics: operations on one value that other threads see either completely or not at all.
//!
//! The scope is part of the type. [`DeviceAtomicU32`] and its siblings are atomic for all threads
//! of the device, `BlockAtomic*` for those of the block, `SystemAtomic*` for the host and other
//! devices as well. A smaller scope may be cheaper: loads, stores and fences have the scope of the
//! type. LLVM 22 writes every read-modify-write operation without a scope, which means device scope
//! in PTX. So these operations of `BlockAtomic*` have a wider scope than necessary. That is always
//! correct, and it costs nothing: a GPU performs them in the same unit, which is shared memory or
//! the L2 cache. (An `atom.cta` in inline assembly would be slower, because LLVM does not see there
//! that the address is in shared memory.)
//!
//! `core::sync::atomic` works in kernels, too. It should have system scope, but it has device scope
//! for the same reason. So memory that the host accesses at the same time needs `SystemAtomic*`.
//! Orderings are those of Rust: [`AtomicOrdering`].
//!
//! `from_ptr` makes an atomic from a plain number in global or shared memory. While the atomic is
//! in use, no other kind of access to that memory is allowed. PTX ISA, "Memory Consistency Model",
//! "atom", "red"; CUDA C++ Programming Guide, "Atomic Functions".

/// Defines the type of an atomic: its cell, its `Sync`, and its `from_ptr`. The callers of the
/// macro add the operations.
#[doc(hidden)]
#[macro_export]
macro_rules! atomic_type {
    ($(#[$doc:meta])* $name:ident($ty:ty)) => {
        $(#[$doc])*
        #[derive(Debug)]
        #[repr(transparent)]
        pub struct $name(core::cell::UnsafeCell<$ty>);

        // SAFETY: every access is atomic.
        unsafe impl Sync for $name {}

        impl $name {
            /// Makes an atomic from the number at `address`.
            ///
            /// # Safety
            /// For `'a`, `address` is valid and aligned (to the whole size), and only atomics of
            /// one scope access it.
            #[inline]
            #[must_use]
            pub const unsafe fn from_ptr<'a>(address: *mut $ty) -> &'a Self {
                // SAFETY: the caller promises that the address is valid; the layouts are the same.
                unsafe { &*address.cast() }
            }
        }
    };
}

mod float;
mod integer;
#[cfg(target_arch = "nvptx64")]
mod operations;
#[cfg(not(target_arch = "nvptx64"))]
#[path = "operations_host.rs"]
mod operations;
#[doc(hidden)]
pub mod scope;
#[cfg(target_arch = "nvptx64")]
mod system;
#[cfg(not(target_arch = "nvptx64"))]
#[path = "system_host.rs"]
mod system;
mod vector;
mod wrapping;

pub(crate) use operations::fence;
#[doc(hidden)]
pub use operations::ordered;

pub use core::sync::atomic::Ordering as AtomicOrdering;

pub use float::{
    BlockAtomicF32, BlockAtomicF64, DeviceAtomicBf16, DeviceAtomicBf16x2, DeviceAtomicF16,
    DeviceAtomicF16x2, DeviceAtomicF32, DeviceAtomicF64, SystemAtomicF32, SystemAtomicF64,
};
pub use integer::{
    BlockAtomicI32, BlockAtomicI64, BlockAtomicU32, BlockAtomicU64, DeviceAtomicI32,
    DeviceAtomicI64, DeviceAtomicU32, DeviceAtomicU64, SystemAtomicI32, SystemAtomicI64,
    SystemAtomicU32, SystemAtomicU64,
};
pub use vector::{DeviceAtomicFloat2, DeviceAtomicFloat4, DeviceAtomicU128};

use crate::half::{Bf16, Bf16x2, F16, F16x2};
use crate::vector::{Float2, Float4};

// The atomics of block scope are not here, because all blocks share the memory that
// the host passes.
crate::kernel::cells! {
    DeviceAtomicI32: i32;
    DeviceAtomicI64: i64;
    DeviceAtomicU32: u32;
    DeviceAtomicU64: u64;
    DeviceAtomicF16: F16;
    DeviceAtomicF16x2: F16x2;
    DeviceAtomicBf16: Bf16;
    DeviceAtomicBf16x2: Bf16x2;
    DeviceAtomicFloat2: Float2;
    DeviceAtomicFloat4: Float4;
    DeviceAtomicU128: u128;
    DeviceAtomicF32: f32;
    DeviceAtomicF64: f64;
    SystemAtomicI32: i32;
    SystemAtomicI64: i64;
    SystemAtomicU32: u32;
    SystemAtomicU64: u64;
    SystemAtomicF32: f32;
    SystemAtomicF64: f64;
}
