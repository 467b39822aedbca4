//! Atomic addition of floats.
//!
//! The order in which threads add is not fixed, and the rounding of a sum of floats depends on it.
//! So two runs may differ in the last bits. The operation is relaxed. A fence before or after it
//! orders other accesses ([`crate::fence`]).

use super::system;
use crate::half::{Bf16, Bf16x2, F16, F16x2};
use crate::intrinsics;

macro_rules! floats {
    ($($(#[$doc:meta])* $name:ident($ty:ty, $module:ident, $add:ident);)*) => {
        $(
            atomic_type! { $(#[$doc])* $name($ty) }

            impl $name {
                /// Adds `value`, and returns the previous value.
                #[doc(alias = "atomicAdd")]
                #[doc(alias = "atom.add")]
                #[inline]
                pub fn fetch_add(&self, value: $ty) -> $ty {
                    // SAFETY: a reference is valid and aligned, and this type allows
                    // only atomic access.
                    unsafe { $module::$add(self.0.get(), value) }
                }
            }
        )*
    };
}

floats! {
    /// An `f32` with atomic addition among the threads of the device.
    DeviceAtomicF32(f32, intrinsics, atomic_add_f32);
    /// An `f64` with atomic addition among the threads of the device.
    DeviceAtomicF64(f64, intrinsics, atomic_add_f64);
    /// An `f32` with atomic addition among the threads of the block.
    BlockAtomicF32(f32, intrinsics, atomic_add_f32);
    /// An `f64` with atomic addition among the threads of the block.
    BlockAtomicF64(f64, intrinsics, atomic_add_f64);
    /// An `f32` with atomic addition among all devices and the host.
    SystemAtomicF32(f32, system, add_f32);
    /// An `f64` with atomic addition among all devices and the host.
    SystemAtomicF64(f64, system, add_f64);
}

macro_rules! half_floats {
    ($($(#[$doc:meta])* $name:ident($ty:ident, $register:ident, $instruction:literal);)*) => {
        $(
            atomic_type! { $(#[$doc])* $name($ty) }

            impl $name {
                /// Adds `value` and returns the previous value. For a pair, the addition of each
                /// half is a separate atomic operation.
                #[doc(alias = "atomicAdd")]
                #[inline]
                pub fn fetch_add(&self, value: $ty) -> $ty {
                    half_floats! { @add $ty, $register, $instruction, self.0.get(), value.to_bits() }
                }
            }
        )*
    };
    (@add $ty:ident, $register:ident, $instruction:literal, $address:expr, $value:expr) => {{
        #[cfg(target_arch = "nvptx64")]
        {
            let bits;
            // SAFETY: a reference is valid and aligned, and this type allows only atomic access.
            unsafe {
                core::arch::asm!(
                    concat!($instruction, " {d}, [{address}], {value};"),
                    d = lateout($register) bits, address = in(reg64) $address, value = in($register) $value,
                    options(nostack, preserves_flags),
                );
            }
            $ty::from_bits(bits)
        }
        #[cfg(not(target_arch = "nvptx64"))]
        {
            let _ = ($address, $value);
            crate::device_only($instruction)
        }
    }};
}

half_floats! {
    /// An `F16` with atomic addition among the threads of the device. Needs `sm_70`.
    DeviceAtomicF16(F16, reg16, "atom.add.noftz.f16");
    /// Two `F16` with atomic addition among the threads of the device. The addition of each half is
    /// a separate atomic operation.
    DeviceAtomicF16x2(F16x2, reg32, "atom.add.noftz.f16x2");
    /// A `Bf16` with atomic addition among the threads of the device. Needs `sm_90`.
    DeviceAtomicBf16(Bf16, reg16, "atom.add.noftz.bf16");
    /// Two `Bf16` with atomic addition among the threads of the device. The addition of each half
    /// is a separate atomic operation. Needs `sm_90`.
    DeviceAtomicBf16x2(Bf16x2, reg32, "atom.add.noftz.bf16x2");
}
