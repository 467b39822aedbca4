//! `cvt` to a float type that may not represent the value: every rounding, from every type.
//!
//! PTX ISA 9.7.9, "cvt", `.rn`, `.rz`, `.rm`, `.rp`, `.relu`, `.satfinite`. A source is first
//! converted to an f32 or f64, either exactly or rounded to odd ([`crate::semantics::odd`]), and is
//! then rounded once to the destination. A NaN becomes the destination's only NaN. The exception is
//! f64 to f32, which keeps the payload (see [`super::cvt_rn_f32_f64`]).

use super::integer::Int;
use super::wide::narrow_nan;
use crate::semantics::Rounding::{self, Down, Up, Zero};
use crate::semantics::exact::{BF16, Exact, F16, F64, Format};
use crate::semantics::float::max_nan_f32;
use crate::semantics::half::{cvt_f32_bf16, cvt_f32_f16, cvt_rn_bf16_f32, cvt_rn_f16_f32};
use crate::semantics::odd::{add_odd, odd_f32, round_f32};
use half::{bf16, f16};

/// The types that `cvt` reads, for destinations narrower than f32.
pub(crate) trait Number: Copy {
    /// Returns the value in f32, rounded to odd if f32 cannot represent it.
    fn odd_f32(self) -> f32;
}

/// Converts an integer to f64, rounded to odd. Its high and low words are exact, but their sum
/// may not be.
#[inline(always)]
fn odd_f64<S: Int>(a: S) -> f64 {
    let value = a.value();
    add_odd(
        (value >> 32) as i64 as f64 * 4294967296.0,
        (value as u32).into(),
    )
}

macro_rules! number {
    ($($t:ty: |$a:ident| $odd:expr);+ $(;)?) => {$(
        impl Number for $t {
            #[inline(always)]
            fn odd_f32(self) -> f32 {
                let $a = self;
                $odd
            }
        }
    )+};
}

number! {
    u8: |a| a.into();
    i8: |a| a.into();
    u16: |a| a.into();
    i16: |a| a.into();
    u32: |a| odd_f32(a.into());
    i32: |a| odd_f32(a.into());
    u64: |a| odd_f32(odd_f64(a));
    i64: |a| odd_f32(odd_f64(a));
    f16: |a| cvt_f32_f16(a);
    bf16: |a| cvt_f32_bf16(a);
    f32: |a| a;
    f64: |a| odd_f32(a);
}

/// Rounds `x` to a half format's bits. `nearest` is the result for values that need
/// no other rounding.
#[inline]
fn round_half(x: f32, format: Format, rounding: Rounding, nearest: u16) -> u16 {
    if x.is_finite() {
        Exact::from_f64(x.into()).round(format, rounding) as u16
    } else {
        nearest
    }
}

/// Defines `cvt` in one rounding, other than nearest.
macro_rules! directed {
    ($($rounding:ident, $text:literal: $to_f16:ident, $to_bf16:ident, $f32_f64:ident, $f32_int:ident, $f64_int:ident);+ $(;)?) => {$(
        #[doc = concat!("`cvt.", $text, ".f16.atype`.")]
        #[inline]
        pub(crate) fn $to_f16<S: Number>(a: S) -> f16 {
            f16::from_bits(round_half(a.odd_f32(), F16, $rounding, cvt_rn_f16(a).to_bits()))
        }

        #[doc = concat!("`cvt.", $text, ".bf16.atype`.")]
        #[inline]
        pub(crate) fn $to_bf16<S: Number>(a: S) -> bf16 {
            bf16::from_bits(round_half(a.odd_f32(), BF16, $rounding, cvt_rn_bf16(a).to_bits()))
        }

        #[doc = concat!("`cvt.", $text, ".f32.f64`.")]
        #[inline(always)]
        pub(crate) fn $f32_f64(a: f64) -> f32 {
            if a.is_nan() { narrow_nan(a) } else { round_f32(a, $rounding) }
        }

        #[doc = concat!("`cvt.", $text, ".f32.atype` from an integer.")]
        #[inline(always)]
        pub(crate) fn $f32_int<S: Int>(a: S) -> f32 {
            round_f32(odd_f64(a), $rounding)
        }

        #[doc = concat!("`cvt.", $text, ".f64.atype` from an integer.")]
        #[inline(always)]
        pub(crate) fn $f64_int<S: Int>(a: S) -> f64 {
            f64::from_bits(Exact::from_int(a.value()).round(F64, $rounding))
        }
    )+};
}

directed! {
    Zero, "rz": cvt_rz_f16, cvt_rz_bf16, cvt_rz_f32_f64, cvt_rz_f32, cvt_rz_f64;
    Down, "rm": cvt_rm_f16, cvt_rm_bf16, cvt_rm_f32_f64, cvt_rm_f32, cvt_rm_f64;
    Up, "rp": cvt_rp_f16, cvt_rp_bf16, cvt_rp_f32_f64, cvt_rp_f32, cvt_rp_f64;
}

/// Returns the result of `cvt.rn.f16.atype`.
#[inline(always)]
pub(crate) fn cvt_rn_f16<S: Number>(a: S) -> f16 {
    cvt_rn_f16_f32(a.odd_f32())
}

/// Returns the result of `cvt.rn.bf16.atype`.
#[inline(always)]
pub(crate) fn cvt_rn_bf16<S: Number>(a: S) -> bf16 {
    cvt_rn_bf16_f32(a.odd_f32())
}

/// Returns the result of `cvt.f64.f16`, which is exact.
#[inline(always)]
pub(crate) fn cvt_f64_f16(a: f16) -> f64 {
    cvt_f32_f16(a).into()
}

/// Returns the result of `cvt.f64.bf16`, which is exact.
#[inline(always)]
pub(crate) fn cvt_f64_bf16(a: bf16) -> f64 {
    cvt_f32_bf16(a).into()
}

/// `.satfinite` to f16: an infinity becomes the largest number of its sign.
#[inline(always)]
pub(crate) fn satfinite_f16(a: f16) -> f16 {
    let bits = a.to_bits();
    f16::from_bits(if bits & 0x7fff == 0x7c00 {
        bits - 1
    } else {
        bits
    })
}

/// `.satfinite` to bf16: an infinity becomes the largest number of its sign.
#[inline(always)]
pub(crate) fn satfinite_bf16(a: bf16) -> bf16 {
    let bits = a.to_bits();
    bf16::from_bits(if bits & 0x7fff == 0x7f80 {
        bits - 1
    } else {
        bits
    })
}

/// `.relu` to f16: a negative value becomes zero, and NaN stays.
#[inline(always)]
pub(crate) fn relu_f16(a: f16) -> f16 {
    cvt_rn_f16_f32(max_nan_f32(cvt_f32_f16(a), 0.0))
}

/// `.relu` to bf16: a negative value becomes zero, and NaN stays.
#[inline(always)]
pub(crate) fn relu_bf16(a: bf16) -> bf16 {
    cvt_rn_bf16_f32(max_nan_f32(cvt_f32_bf16(a), 0.0))
}
