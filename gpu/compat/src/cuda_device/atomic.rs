//! Atomics that can be made by `new`, and floats with all orders.
//!
//! They wrap lanewise-std's atomics ([`lanewise_std::atomic`]) and add what cuda-oxide's have
//! more. The host passes a buffer for a slice of them, as for a slice of lanewise-std's atomics.

use core::ops::Deref;

use lanewise_std::atomic::{ordered, scope};
use lanewise_std::atomic_type;
use lanewise_std::kernel::SharedCell;

pub use lanewise_std::atomic::AtomicOrdering;

/// Defines the type and its constructor.
macro_rules! atomic {
    ($(#[$doc:meta])* $name:ident($ty:ty)) => {
        atomic_type! { $(#[$doc])* $name($ty) }

        impl $name {
            /// Makes an atomic with this value.
            #[inline]
            #[must_use]
            pub const fn new(value: $ty) -> Self {
                $name(core::cell::UnsafeCell::new(value))
            }
        }
    };
}

macro_rules! integers {
    ($($name:ident($ty:ty);)*) => {$(
        atomic! {
            /// lanewise-std's atomic of the same name, with the additional methods of cuda-oxide's.
            $name($ty)
        }

        impl Deref for $name {
            type Target = lanewise_std::atomic::$name;

            #[inline]
            fn deref(&self) -> &Self::Target {
                // SAFETY: a reference is valid and aligned, and both types allow only atomic access
                // of one scope.
                unsafe { Self::Target::from_ptr(self.0.get()) }
            }
        }
    )*};
}

integers! {
    DeviceAtomicU32(u32); DeviceAtomicI32(i32); DeviceAtomicU64(u64); DeviceAtomicI64(i64);
    BlockAtomicU32(u32); BlockAtomicI32(i32); BlockAtomicU64(u64); BlockAtomicI64(i64);
    SystemAtomicU32(u32); SystemAtomicI32(i32); SystemAtomicU64(u64); SystemAtomicI64(i64);
}

/// Defines floats. The hardware adds them, and all other operations use their bits.
macro_rules! floats {
    ($($name:ident($ty:ty) as $bits:ident, $scope:ident;)*) => {$(
        atomic! {
            /// A float that threads of its scope can add to and exchange.
            $name($ty)
        }

        impl $name {
            /// Returns the same memory as an atomic of bits.
            #[inline]
            fn bits(&self) -> &lanewise_std::atomic::$bits {
                // SAFETY: a reference is valid and aligned. The sizes are equal, and all access is
                // atomic and of one scope.
                unsafe { lanewise_std::atomic::$bits::from_ptr(self.0.get().cast()) }
            }

            /// Returns the value at this moment.
            #[inline]
            #[must_use]
            pub fn load(&self, order: AtomicOrdering) -> $ty {
                <$ty>::from_bits(self.bits().load(order))
            }

            /// Sets the value to `value`.
            #[inline]
            pub fn store(&self, value: $ty, order: AtomicOrdering) {
                self.bits().store(value.to_bits(), order);
            }

            /// Sets the value, and returns the previous value.
            #[inline]
            pub fn swap(&self, value: $ty, order: AtomicOrdering) -> $ty {
                <$ty>::from_bits(self.bits().swap(value.to_bits(), order))
            }

            /// Adds `value`, and returns the previous value.
            #[inline]
            pub fn fetch_add(&self, value: $ty, order: AtomicOrdering) -> $ty {
                ordered::<scope::$scope, _>(order, || {
                    // SAFETY: as in `bits`.
                    unsafe { lanewise_std::atomic::$name::from_ptr(self.0.get()) }.fetch_add(value)
                })
            }

            /// Subtracts `value`, and returns the previous value.
            #[inline]
            pub fn fetch_sub(&self, value: $ty, order: AtomicOrdering) -> $ty {
                self.fetch_add(-value, order)
            }
        }
    )*};
}

floats! {
    DeviceAtomicF32(f32) as DeviceAtomicU32, Device; DeviceAtomicF64(f64) as DeviceAtomicU64, Device;
    BlockAtomicF32(f32) as BlockAtomicU32, Block; BlockAtomicF64(f64) as BlockAtomicU64, Block;
    SystemAtomicF32(f32) as SystemAtomicU32, System; SystemAtomicF64(f64) as SystemAtomicU64, System;
}

/// The host may pass a buffer for a slice of these atomics. Atomics of block scope are not here,
/// because all blocks share the memory that the host passes.
macro_rules! lent {
    ($($name:ident($ty:ty);)*) => {$(
        // SAFETY: the type has the layout of its number, and every number is valid.
        unsafe impl SharedCell for $name {
            type Value = $ty;
        }
    )*};
}

lent! {
    DeviceAtomicU32(u32); DeviceAtomicI32(i32); DeviceAtomicU64(u64); DeviceAtomicI64(i64);
    DeviceAtomicF32(f32); DeviceAtomicF64(f64);
    SystemAtomicU32(u32); SystemAtomicI32(i32); SystemAtomicU64(u64); SystemAtomicI64(i64);
    SystemAtomicF32(f32); SystemAtomicF64(f64);
}
