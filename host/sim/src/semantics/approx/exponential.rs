//! `ex2.approx`, `lg2.approx`, `tanh.approx` on f32.
//!
//! PTX ISA 9.7.3. Power and logarithm are short series in f64 without branches, so that loops over
//! lanes become vector code. Their relative error is below 2^-45. So the result is the nearest f32,
//! except for about one value in a million.

use crate::semantics::float::{canonical_f32, ftz_f32};
use std::f64::consts::{LN_2, SQRT_2};

/// Returns 2^x in f64, for an `x` that comes from f32. A NaN stays NaN.
#[inline(always)]
pub(super) fn exp2(x: f64) -> f64 {
    // Beyond these bounds, f32 has only zero and infinity. The power of two below must stay
    // within f64's range.
    let x = x.clamp(-200.0, 200.0);
    // Split into a whole number and a rest: adding 1.5 * 2^52 leaves the whole number, ties to
    // even, in the low digits.
    const SHIFT: f64 = 6755399441055744.0;
    let shifted = x + SHIFT;
    let whole = shifted - SHIFT;
    let t = (x - whole) * LN_2; // within 0.35
    // e^t by its series up to t^11 / 11!. The remaining terms are below 2^-47.
    let mut series = 1.0 / 39_916_800.0;
    for divisor in [
        3_628_800.0,
        362_880.0,
        40_320.0,
        5_040.0,
        720.0,
        120.0,
        24.0,
        6.0,
        2.0,
        1.0,
        1.0,
    ] {
        series = series * t + 1.0 / divisor;
    }
    let power = f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52);
    series * power
}

/// Returns the logarithm to base 2 of a positive finite normal `x`, in f64.
#[inline(always)]
fn log2(x: f64) -> f64 {
    let bits = x.to_bits();
    let mantissa = f64::from_bits(bits & 0x000f_ffff_ffff_ffff | 0x3ff0_0000_0000_0000); // [1, 2)
    let halve = mantissa > SQRT_2;
    let m = if halve { mantissa * 0.5 } else { mantissa };
    let exponent = (bits >> 52) as i32 - 1023 + i32::from(halve);
    // ln m = 2 artanh s, with |s| below 0.172, by its series up to s^19 / 19. The remaining terms
    // are below 2^-55 of s.
    let s = (m - 1.0) / (m + 1.0);
    let square = s * s;
    let mut series = 1.0 / 19.0;
    for divisor in [17.0, 15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0, 1.0] {
        series = series * square + 1.0 / divisor;
    }
    f64::from(exponent) + s * series * (2.0 / LN_2)
}

/// `ex2.approx.f32`: 2^a. Subnormal results are kept.
#[inline(always)]
pub(crate) fn ex2_approx_f32(a: f32) -> f32 {
    canonical_f32(exp2(a.into()) as f32)
}

/// `lg2.approx.f32`: the logarithm to base 2. It is minus infinity for a zero of either sign, and
/// NaN for a negative number.
#[inline(always)]
pub(crate) fn lg2_approx_f32(a: f32) -> f32 {
    let finite = log2(a.into()) as f32; // subnormal f32 are normal f64
    let positive = if a < f32::INFINITY { finite } else { a };
    let nan = crate::semantics::float::nan::NAN_F32;
    let other = if a == 0.0 { f32::NEG_INFINITY } else { nan };
    if a > 0.0 { positive } else { other }
}

/// `tanh.approx.f32`: computed from the power, or from the first terms of the series where the
/// power loses digits.
#[inline(always)]
pub(crate) fn tanh_approx_f32(a: f32) -> f32 {
    let x = f64::from(a);
    let large = 1.0 - 2.0 / (exp2(x * (2.0 / LN_2)) + 1.0);
    let small = x * (1.0 - x * x / 3.0); // the next term is below 2^-50 of x
    canonical_f32(if x.abs() < 0.000_244_140_625 {
        small
    } else {
        large
    } as f32)
}

ftz! {
    ex2_approx_f32(a) => ex2_approx_ftz_f32;
    lg2_approx_f32(a) => lg2_approx_ftz_f32;
}
