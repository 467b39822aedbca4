//! Atomic addition of 16-bit floats and of pairs of them.

use super::{Atomic, AtomicOrdering, operations};
use crate::half::{Bf16, Bf16x2, F16, F16x2};
use crate::scope::Device;

macro_rules! half_floats {
    ($($(#[$doc:meta])* $ty:ident, $register:ident, $instruction:literal;)*) => {
        $(
            impl Atomic<$ty, Device> {
                /// Adds `value` and returns the previous value.
                $(#[$doc])*
                #[doc(alias = "atomicAdd")]
                #[inline]
                pub fn fetch_add(&self, value: $ty, order: AtomicOrdering) -> $ty {
                    operations::ordered::<Device, _>(order, || {
                        half_floats! { @add $ty, $register, $instruction, self.0.get(), value.to_bits() }
                    })
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
    /// It needs `sm_70`.
    F16, reg16, "atom.add.noftz.f16";
    /// The addition of each half is a separate atomic operation.
    F16x2, reg32, "atom.add.noftz.f16x2";
    /// It needs `sm_90`.
    Bf16, reg16, "atom.add.noftz.bf16";
    /// The addition of each half is a separate atomic operation. Needs `sm_90`.
    Bf16x2, reg32, "atom.add.noftz.bf16x2";
}
