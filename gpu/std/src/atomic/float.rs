//! Atomic addition of floats.
//!
//! The order in which threads come is not fixed, nor is the rounding of a sum of floats: two runs may differ in the last
//! bits. The operation is relaxed; a fence before or after orders other accesses ([`crate::fence`]).

use core::cell::UnsafeCell;

use super::scope::{Block, Device, Scope, System};
use crate::intrinsics;

/// An addition whose scope the builder sets; see `operations`.
///
/// # Safety
/// `address` is valid and aligned, and nothing but atomic operations touches it meanwhile.
#[inline(always)]
unsafe fn add_f32<S: Scope>(address: *mut f32, value: f32) -> f32 {
    // SAFETY: the builder takes the marker out; the rest the caller says.
    unsafe {
        intrinsics::__lanewise_atomic_scope(const { S::NUMBER });
        intrinsics::atomic_add_f32(address, value)
    }
}

/// As `add_f32`.
///
/// # Safety
/// As for `add_f32`.
#[inline(always)]
unsafe fn add_f64<S: Scope>(address: *mut f64, value: f64) -> f64 {
    // SAFETY: the builder takes the marker out; the rest the caller says.
    unsafe {
        intrinsics::__lanewise_atomic_scope(const { S::NUMBER });
        intrinsics::atomic_add_f64(address, value)
    }
}

macro_rules! floats {
    ($($(#[$doc:meta])* $name:ident($ty:ty, $scope:ident, $add:ident);)*) => {
        $(
            $(#[$doc])*
            #[derive(Debug)]
            #[repr(transparent)]
            pub struct $name(UnsafeCell<$ty>);

            // SAFETY: every access is atomic.
            unsafe impl Sync for $name {}

            impl $name {
                /// An atomic view of the number at `address`.
                ///
                /// # Safety
                /// For `'a`, `address` is valid and aligned, and nothing but atomics touches it.
                #[inline]
                #[must_use]
                pub unsafe fn from_ptr<'a>(address: *mut $ty) -> &'a Self {
                    // SAFETY: the caller says so; the layouts are the same.
                    unsafe { &*address.cast() }
                }

                /// Adds `value`, and gives what was there before.
                #[doc(alias = "atomicAdd")]
                #[doc(alias = "atom.add")]
                #[inline]
                pub fn fetch_add(&self, value: $ty) -> $ty {
                    // SAFETY: a reference is valid and aligned, and this type has atomic access only.
                    unsafe { $add::<$scope>(self.0.get(), value) }
                }
            }
        )*
    };
}

floats! {
    /// An `f32` that is added to atomically among the threads of the device.
    DeviceAtomicF32(f32, Device, add_f32);
    /// An `f64` that is added to atomically among the threads of the device.
    DeviceAtomicF64(f64, Device, add_f64);
    /// An `f32` that is added to atomically among the threads of the block.
    BlockAtomicF32(f32, Block, add_f32);
    /// An `f64` that is added to atomically among the threads of the block.
    BlockAtomicF64(f64, Block, add_f64);
    /// An `f32` that is added to atomically among all devices and the host.
    SystemAtomicF32(f32, System, add_f32);
    /// An `f64` that is added to atomically among all devices and the host.
    SystemAtomicF64(f64, System, add_f64);
}
