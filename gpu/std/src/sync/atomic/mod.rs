//! Atomics: operations on one word that no other thread sees half done.
//!
//! The scope is part of the type. [`DeviceAtomicU32`] and its siblings are atomic for all threads
//! of the device, `BlockAtomic*` for those of the block, `SystemAtomic*` for the host and other
//! devices as well. A smaller scope may be cheaper: loads, stores and fences are of the type's.
//! LLVM 22 writes every read-modify-write operation without a scope, which PTX reads as the
//! device's. `BlockAtomic*` therefore comes out wider there than it asks for, which is never wrong,
//! and costs nothing: a GPU does it in the same place, which is shared memory or the L2 cache. (An
//! `atom.cta` by inline assembly would cost: LLVM does not see there that the address is in shared
//! memory.) `core::sync::atomic` works in kernels, too. Its scope should be the system's, and for
//! the same reason is the device's; memory that the host works on at the same time therefore needs
//! `SystemAtomic*`. Orderings are the language's: [`AtomicOrdering`].
//!
//! `from_ptr` makes an atomic of a plain number in global or shared memory. Nothing may access that
//! memory in another way meanwhile. PTX ISA, "Memory Consistency Model", "atom", "red"; CUDA C++
//! Programming Guide, "Atomic Functions".

/// The type of an atomic: its cell, that threads may share it, and how memory is seen as one. What
/// can be done with it is said where it is used.
macro_rules! atomic_type {
    ($(#[$doc:meta])* $name:ident($ty:ty)) => {
        $(#[$doc])*
        #[derive(Debug)]
        #[repr(transparent)]
        pub struct $name(core::cell::UnsafeCell<$ty>);

        // SAFETY: every access is atomic.
        unsafe impl Sync for $name {}

        impl $name {
            /// The number at `address`, as an atomic.
            ///
            /// # Safety
            /// For `'a`, `address` is valid and aligned (to the whole size), and nothing but
            /// atomics of one scope touches it.
            #[inline]
            #[must_use]
            pub const unsafe fn from_ptr<'a>(address: *mut $ty) -> &'a Self {
                // SAFETY: the caller says so; the layouts are the same.
                unsafe { &*address.cast() }
            }
        }
    };
}
#[cfg(feature = "compat")]
pub(crate) use atomic_type;

mod float;
mod integer;
#[cfg(target_arch = "nvptx64")]
mod operations;
#[cfg(not(target_arch = "nvptx64"))]
#[path = "operations_host.rs"]
mod operations;
pub(crate) mod scope;
#[cfg(target_arch = "nvptx64")]
mod system;
#[cfg(not(target_arch = "nvptx64"))]
#[path = "system_host.rs"]
mod system;
mod vector;
mod wrapping;

pub(crate) use operations::fence;
#[cfg(feature = "compat")]
pub(crate) use operations::ordered;

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

// The atomics of a block's scope are not here: what the host passes, all blocks share.
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
