//! The hardware's approximations of functions of 16-bit floats, and of both halves of a pair.
//!
//! PTX ISA, "Half Precision Floating Point Instructions: tanh, ex2". `f16` has them from `sm_75`
//! on, and `bf16` from `sm_90` on. On earlier targets they are computed in `f32`, with the
//! approximations of `fast`.

use super::{Bf16, Bf16x2, F16, F16x2};
use crate::fast;

macro_rules! approximations {
    ($($name:ident $capability:literal $register:ident: $exp2:literal, $tanh:literal;)*) => {
        $(
            impl $name {
                /// Returns 2 to the power of this number, approximately. The error is up to one
                /// unit in the last place.
                #[doc(alias = "ex2.approx")]
                #[inline(always)]
                #[must_use]
                pub fn fast_exp2(self) -> Self {
                    approximations!(@of self, $capability, $register, $exp2, fast::exp2)
                }

                /// Returns the hyperbolic tangent of this number, approximately. The error is up
                /// to one unit in the last place.
                #[doc(alias = "htanh_approx", alias = "tanh.approx")]
                #[inline(always)]
                #[must_use]
                pub fn fast_tanh(self) -> Self {
                    approximations!(@of self, $capability, $register, $tanh, fast::tanh)
                }
            }
        )*
    };
    (@of $self:ident, $capability:literal, $register:ident, $instruction:literal, $single:path) => {{
        #[cfg(target_arch = "nvptx64")]
        if crate::target::is_at_least($capability) {
            let bits;
            // SAFETY: the instruction reads and writes registers only.
            unsafe {
                core::arch::asm!(
                    concat!($instruction, " {d}, {a};"),
                    d = lateout($register) bits,
                    a = in($register) $self.to_bits(),
                    options(pure, nomem, nostack, preserves_flags),
                );
            }
            return Self::from_bits(bits);
        }
        $self.by_single($single)
    }};
}

approximations! {
    F16 75 reg16: "ex2.approx.f16", "tanh.approx.f16";
    Bf16 90 reg16: "ex2.approx.ftz.bf16", "tanh.approx.bf16";
    F16x2 75 reg32: "ex2.approx.f16x2", "tanh.approx.f16x2";
    Bf16x2 90 reg32: "ex2.approx.ftz.bf16x2", "tanh.approx.bf16x2";
}

macro_rules! by_single {
    ($($element:ident $pair:ident;)*) => {
        $(
            impl $element {
                #[inline(always)]
                fn by_single(self, function: impl Fn(f32) -> f32) -> Self {
                    Self::from_f32(function(self.to_f32()))
                }
            }

            impl $pair {
                #[inline(always)]
                fn by_single(self, function: impl Fn(f32) -> f32) -> Self {
                    Self::new(self.low.by_single(&function), self.high.by_single(&function))
                }
            }
        )*
    };
}

by_single! {
    F16 F16x2;
    Bf16 Bf16x2;
}
