//! NaN results, flushing and saturation: the treatment of operands and results before and
//! after the arithmetic.
//!
//! PTX ISA 9.7.3 requires only that a NaN result is some NaN. The rest is open in the ISA. Here it
//! is as measured on an H200:
//! - f32 (and f16) has only one NaN, `0x7fffffff`, for all operands.
//! - f64 keeps the payload and sign of a NaN operand, made quiet. Of two NaNs it is the second
//!   operand's, but in `div` the first's. Of three (`fma`) it is that of the second factor, else of
//!   the addend. An operation on numbers without a value gives `0xfff8000000000000`.
//! - `.ftz` tests the result as rounded with an unlimited exponent range: see `modifiers`.
//! - `.sat` replaces -0 and NaN by +0 (measured for NaN).

use std::hint::select_unpredictable as select;

/// The f32 value of every NaN result.
pub(crate) const NAN_F32: f32 = f32::from_bits(0x7fff_ffff);

/// The f64 result of an operation on numbers that has no value.
pub(crate) const INVALID_F64: f64 = f64::from_bits(0xfff8_0000_0000_0000);

/// Returns `x`, with any NaN replaced by the only NaN of f32.
#[inline(always)]
pub(crate) fn canonical_f32(x: f32) -> f32 {
    if x.is_nan() { NAN_F32 } else { x }
}

/// `.ftz`: returns `x`, with a subnormal replaced by the zero of its sign.
#[inline(always)]
pub(crate) fn ftz_f32(x: f32) -> f32 {
    let sign = f32::from_bits(x.to_bits() & 0x8000_0000);
    if x.abs() < f32::MIN_POSITIVE { sign } else { x }
}

/// 2^64, which makes tiny results normal.
pub(crate) const UP: f32 = 18_446_744_073_709_551_616.0;

/// `.ftz` of a result that rounding may have increased to the smallest normal number. `scaled` is
/// the result times 2^64, which is rounded with all its digits.
#[inline(always)]
pub(crate) fn flush_tiny(result: f32, scaled: f32) -> f32 {
    let sign = f32::from_bits(result.to_bits() & 0x8000_0000);
    if scaled.abs() < UP * f32::MIN_POSITIVE {
        sign
    } else {
        result
    }
}

/// `.sat`: `x` clamped to [0, 1]; NaN and -0 become +0.
#[inline(always)]
pub(crate) fn sat_f32(x: f32) -> f32 {
    let at_most_one = if x < 1.0 { x } else { 1.0 };
    if x > 0.0 { at_most_one } else { 0.0 }
}

/// `.sat` at f64: `x` clamped to [0, 1]; NaN and -0 become +0.
#[inline(always)]
pub(crate) fn sat_f64(x: f64) -> f64 {
    let at_most_one = if x < 1.0 { x } else { 1.0 };
    if x > 0.0 { at_most_one } else { 0.0 }
}

/// Makes a NaN quiet. Its sign and payload stay.
#[inline(always)]
pub(crate) fn quiet_f64(x: f64) -> f64 {
    f64::from_bits(x.to_bits() | 0x0008_0000_0000_0000)
}

/// Returns the result `r` of an operation on `a`, or the GPU's NaN if `r` is NaN.
#[inline(always)]
pub(crate) fn settle1_f64(r: f64, a: f64) -> f64 {
    let from_operand = select(a.is_nan(), quiet_f64(a), INVALID_F64);
    select(r.is_nan(), from_operand, r)
}

/// Returns the result `r` of an operation on `a` and `b`, or the GPU's NaN if `r` is NaN.
#[inline(always)]
pub(crate) fn settle2_f64(r: f64, a: f64, b: f64) -> f64 {
    settle1_f64(r, select(b.is_nan(), b, a))
}

/// Returns the result `r` of a * b + c, or the GPU's NaN if `r` is NaN: that of `b`, else of `c`,
/// else of `a`.
#[inline(always)]
pub(crate) fn settle3_f64(r: f64, a: f64, b: f64, c: f64) -> f64 {
    settle2_f64(r, a, select(b.is_nan(), b, c))
}
