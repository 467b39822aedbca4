//! Atomic integers in memory that threads share.

use super::AtomicOrdering;
use super::operations;
use super::scope::{Block, Device, System};
use super::system;

macro_rules! integers {
    ($($(#[$doc:meta])* $name:ident($ty:ty, $module:ident::$scope:ident, $max:ident, $min:ident);)*) => {
        $(
            atomic_type! { $(#[$doc])* $name($ty) }

            impl $name {
                /// Returns the value at this moment. `Release` counts as `Relaxed` here, and
                /// `AcqRel` as `Acquire`.
                #[doc(alias = "ld.relaxed")]
                #[inline]
                #[must_use]
                pub fn load(&self, order: AtomicOrdering) -> $ty {
                    // SAFETY: a reference is valid and aligned, and this type allows
                    // only atomic access.
                    unsafe { $module::load::<$scope, $ty>(self.0.get(), order) }
                }

                /// Sets the value. `Acquire` counts as `Relaxed` here, and `AcqRel` as `Release`.
                #[doc(alias = "st.relaxed")]
                #[inline]
                pub fn store(&self, value: $ty, order: AtomicOrdering) {
                    // SAFETY: as in `load`.
                    unsafe { $module::store::<$scope, $ty>(self.0.get(), value, order) }
                }

                integers! { @read_modify_write $ty, $module::$scope:
                    /// Sets the value to `value`.
                    #[doc(alias = "atomicExch")] #[doc(alias = "atom.exch")]
                    swap = swap;
                    /// Adds `value`, modulo 2^32 or 2^64.
                    #[doc(alias = "atomicAdd")] #[doc(alias = "atom.add")]
                    fetch_add = add;
                    /// Subtracts `value`, modulo 2^32 or 2^64.
                    #[doc(alias = "atomicSub")]
                    fetch_sub = sub;
                    /// Clears the bits that are clear in `value`.
                    #[doc(alias = "atomicAnd")] #[doc(alias = "atom.and")]
                    fetch_and = and;
                    /// Sets the bits that are set in `value`.
                    #[doc(alias = "atomicOr")] #[doc(alias = "atom.or")]
                    fetch_or = or;
                    /// Flips the bits that are set in `value`.
                    #[doc(alias = "atomicXor")] #[doc(alias = "atom.xor")]
                    fetch_xor = xor;
                    /// Stores the maximum of the current value and `value`.
                    #[doc(alias = "atomicMax")] #[doc(alias = "atom.max")]
                    fetch_max = $max;
                    /// Stores the minimum of the current value and `value`.
                    #[doc(alias = "atomicMin")] #[doc(alias = "atom.min")]
                    fetch_min = $min;
                }

                /// Sets the value to `new` if it is `current`, and returns the previous value.
                ///
                /// `success` is the order of the exchange. `failure` is the order of the
                /// load if there is no exchange; there `Release` counts as `Relaxed`, and
                /// `AcqRel` as `Acquire`.
                ///
                /// # Errors
                /// Returns the value that was not `current`.
                #[doc(alias = "atomicCAS")]
                #[doc(alias = "atom.cas")]
                #[inline]
                pub fn compare_exchange(
                    &self,
                    current: $ty,
                    new: $ty,
                    success: AtomicOrdering,
                    failure: AtomicOrdering,
                ) -> Result<$ty, $ty> {
                    let at = self.0.get();
                    let order = (success, failure);
                    // SAFETY: as in `load`.
                    let (old, done) = unsafe { $module::compare_exchange::<$scope, $ty>(at, current, new, order) };
                    if done { Ok(old) } else { Err(old) }
                }
            }
        )*
    };
    (@read_modify_write $ty:ty, $module:ident::$scope:ident: $($(#[$attribute:meta])* $name:ident = $operation:ident;)*) => {
        $(
            $(#[$attribute])*
            /// Returns the previous value.
            #[inline]
            pub fn $name(&self, value: $ty, order: AtomicOrdering) -> $ty {
                // SAFETY: a reference is valid and aligned, and this type allows
                // only atomic access.
                unsafe { $module::$operation::<$scope, $ty>(self.0.get(), value, order) }
            }
        )*
    };
}

integers! {
    /// A `u32` that is atomic among the threads of the device.
    DeviceAtomicU32(u32, operations::Device, umax, umin);
    /// An `i32` that is atomic among the threads of the device.
    DeviceAtomicI32(i32, operations::Device, max, min);
    /// A `u64` that is atomic among the threads of the device.
    DeviceAtomicU64(u64, operations::Device, umax, umin);
    /// An `i64` that is atomic among the threads of the device.
    DeviceAtomicI64(i64, operations::Device, max, min);
    /// A `u32` that is atomic among the threads of the block.
    BlockAtomicU32(u32, operations::Block, umax, umin);
    /// An `i32` that is atomic among the threads of the block.
    BlockAtomicI32(i32, operations::Block, max, min);
    /// A `u64` that is atomic among the threads of the block.
    BlockAtomicU64(u64, operations::Block, umax, umin);
    /// An `i64` that is atomic among the threads of the block.
    BlockAtomicI64(i64, operations::Block, max, min);
    /// A `u32` that is atomic among all devices and the host.
    SystemAtomicU32(u32, system::System, umax, umin);
    /// An `i32` that is atomic among all devices and the host.
    SystemAtomicI32(i32, system::System, max, min);
    /// A `u64` that is atomic among all devices and the host.
    SystemAtomicU64(u64, system::System, umax, umin);
    /// An `i64` that is atomic among all devices and the host.
    SystemAtomicI64(i64, system::System, max, min);
}
