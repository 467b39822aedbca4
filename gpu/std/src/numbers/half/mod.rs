//! Floats of 16 bits: [`F16`] (IEEE's binary16) and [`Bf16`] (the upper half of an `f32`), alone
//! and in pairs.
//!
//! They have the same layout on the host and on the device, so kernels take them by value and in
//! slices. On the host they convert from and to the types of the crate `half`. On the device an
//! operation is one instruction, such as `add.f16` or `fma.rn.bf16`. For a pair ([`F16x2`] or
//! [`Bf16x2`]) it is an instruction such as `add.f16x2`, which is twice as fast. Each result is
//! rounded once, to nearest even. Before `sm_80` there are no instructions for `Bf16`. There it is
//! computed in `f32`, with the same results except for [`mul_add`](Bf16::mul_add), which rounds
//! twice. PTX ISA, "Half Precision Floating-Point Instructions"; CUDA math API, "Half Precision
//! Intrinsics", "Bfloat16 Precision Intrinsics".

mod approximate;
#[cfg(target_arch = "nvptx64")]
#[path = "device.rs"]
mod operations;
#[cfg(not(target_arch = "nvptx64"))]
#[path = "host.rs"]
mod operations;
mod pair;

use core::fmt;
use core::ops::{Add, Div, Mul, Neg, Sub};

pub use pair::{Bf16x2, F16x2};

use crate::kernel::Value;
use crate::warp::Shuffle;
use crate::warp::operator::{Max, Min, Operator, Product, Sum};

macro_rules! half_floats {
    ($($(#[$doc:meta])* $name:ident = $operations:ident, $half:literal;)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Default)]
            #[repr(transparent)]
            pub struct $name(pub(crate) u16);

            impl $name {
                /// Zero, with a positive sign.
                pub const ZERO: Self = $name(0);

                /// Makes the float with these bits.
                #[inline(always)]
                #[must_use]
                pub const fn from_bits(bits: u16) -> Self {
                    $name(bits)
                }

                /// Returns the bits that represent the float.
                #[inline(always)]
                #[must_use]
                pub const fn to_bits(self) -> u16 {
                    self.0
                }

                /// Returns the float nearest to `value`, with ties to even.
                #[inline(always)]
                #[must_use]
                pub fn from_f32(value: f32) -> Self {
                    $name(operations::$operations::from_f32(value))
                }

                /// Returns the same number as an `f32`, which can represent every such float.
                #[inline(always)]
                #[must_use]
                pub fn to_f32(self) -> f32 {
                    operations::$operations::to_f32(self.0)
                }

                /// Returns `self * a + b`, rounded once.
                #[doc(alias = "__hfma")]
                #[inline(always)]
                #[must_use]
                pub fn mul_add(self, a: Self, b: Self) -> Self {
                    $name(operations::$operations::mul_add(self.0, a.0, b.0))
                }

                /// Returns the minimum of the two. If one is NaN, it returns the other.
                #[doc(alias = "__hmin")]
                #[inline(always)]
                #[must_use]
                pub fn min(self, other: Self) -> Self {
                    if other < self || self.to_f32().is_nan() { other } else { self }
                }

                /// Returns the maximum of the two. If one is NaN, it returns the other.
                #[doc(alias = "__hmax")]
                #[inline(always)]
                #[must_use]
                pub fn max(self, other: Self) -> Self {
                    if other > self || self.to_f32().is_nan() { other } else { self }
                }
            }

            half_floats! { @operator $name, $operations, Add::add, Sub::sub, Mul::mul, Div::div }

            impl Neg for $name {
                type Output = Self;
                #[inline(always)]
                fn neg(self) -> Self {
                    $name(self.0 ^ 0x8000)
                }
            }

            impl From<$name> for f32 {
                #[inline(always)]
                fn from(value: $name) -> f32 {
                    value.to_f32()
                }
            }

            impl PartialEq for $name {
                #[inline(always)]
                fn eq(&self, other: &Self) -> bool {
                    self.to_f32() == other.to_f32()
                }
            }

            impl PartialOrd for $name {
                #[inline(always)]
                fn partial_cmp(&self, other: &Self) -> Option<core::cmp::Ordering> {
                    self.to_f32().partial_cmp(&other.to_f32())
                }
            }

            impl fmt::Debug for $name {
                fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                    fmt::Debug::fmt(&self.to_f32(), out)
                }
            }

            impl fmt::Display for $name {
                fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                    fmt::Display::fmt(&self.to_f32(), out)
                }
            }

            // SAFETY: the type is a 16-bit number.
            unsafe impl Value for $name {
                const LAYOUT: u64 = crate::kernel::layout::named(stringify!($name));
            }
            crate::kernel::plain_numbers! { $name }
            // SAFETY: the value goes in one word, and any bits are a valid float.
            unsafe impl Shuffle for $name {
                #[inline(always)]
                fn map(self, exchange: impl Fn(u32) -> u32) -> Self {
                    $name(self.0.map(exchange))
                }
            }

            half_floats! { @reduction $name, Sum: |a, b| a + b, Product: |a, b| a * b, Min: |a, b| a.min(b), Max: |a, b| a.max(b) }

            #[cfg(not(target_arch = "nvptx64"))]
            impl From<::half::$operations> for $name {
                fn from(value: half::$operations) -> Self {
                    $name(value.to_bits())
                }
            }

            #[cfg(not(target_arch = "nvptx64"))]
            impl From<$name> for ::half::$operations {
                fn from(value: $name) -> Self {
                    ::half::$operations::from_bits(value.0)
                }
            }

            #[cfg(not(target_arch = "nvptx64"))]
            impl $name {
                #[doc = concat!("A slice of [`", $half, "`] as a slice of these: what a buffer is made from.")]
                #[must_use]
                pub fn slice_of(values: &[::half::$operations]) -> &[$name] {
                    // SAFETY: both types have 16 bits and the same layout, and any bits are a valid
                    // value of both.
                    unsafe { core::slice::from_raw_parts(values.as_ptr().cast(), values.len()) }
                }
            }
        )*
    };
    (@operator $name:ident, $operations:ident, $($trait:ident::$method:ident),*) => {
        $(
            impl $trait for $name {
                type Output = Self;
                #[inline(always)]
                fn $method(self, other: Self) -> Self {
                    $name(operations::$operations::$method(self.0, other.0))
                }
            }
        )*
    };
    (@reduction $name:ident, $($operator:ident: |$a:ident, $b:ident| $combined:expr),*) => {
        $(
            impl Operator<$name> for $operator {
                const COMMUTATIVE: bool = true;
                #[inline(always)]
                fn combine(&self, $a: $name, $b: $name) -> $name {
                    $combined
                }
            }
        )*
    };
}

half_floats! {
    /// A float of 16 bits with 11 bits of precision: IEEE's binary16, CUDA's `__half`. The greatest
    /// finite number is 65504.
    #[doc(alias = "__half")]
    F16 = f16, "half::f16";
    /// A float of 16 bits with 8 bits of precision and the range of `f32`: CUDA's `__nv_bfloat16`.
    #[doc(alias = "__nv_bfloat16")]
    Bf16 = bf16, "half::bf16";
}
