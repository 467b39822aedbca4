//! Logarithms.
//!
//! `x` is `2^k (1 + f)` with `f` between -1/3 and 1/3. The logarithm of `1 + f` is a polynomial
//! that begins with `f` itself, so that it is accurate near zero.

use super::exponential::LOG2_E;
use super::machine::{fma, lg2};

const TWO_THIRDS: u32 = 0x3f2a_aaab;

/// Returns a logarithm of `x`: `of(k, f)`, or the special value that `lg2` has.
#[inline(always)]
fn logarithm(x: f32, of: impl Fn(f32, f32) -> f32) -> f32 {
    let is_denormal = x < f32::MIN_POSITIVE;
    // A negative denormal becomes a normal number too, of which `lg2` gives NaN.
    let normal = if is_denormal { x * 8_388_608.0 } else { x };
    let lifted = if is_denormal { -23.0 } else { 0.0 };
    let exponent = normal.to_bits().wrapping_sub(TWO_THIRDS) & 0xff80_0000;
    let f = f32::from_bits(normal.to_bits().wrapping_sub(exponent)) - 1.0;
    let k = fma(exponent as i32 as f32, 1.0 / 8_388_608.0, lifted);
    let is_positive_finite = normal.to_bits().wrapping_sub(1) < 0x7f7f_ffff;
    if is_positive_finite {
        of(k, f)
    } else {
        lg2(normal)
    }
}

/// Returns `(log(1 + f) - f) / f`.
#[inline(always)]
fn beyond_first_order(f: f32) -> f32 {
    let p = horner!(
        f,
        -0.124_875_07,
        0.140_429_39,
        -0.122_737_28,
        0.139_914_93,
        -0.166_744_19,
        0.200_114_44,
        -0.249_999_2,
        0.333_331_97,
        -0.5
    );
    p * f
}

/// Returns the natural logarithm.
#[inline(always)]
pub(crate) fn logf(x: f32) -> f32 {
    logarithm(x, |k, f| {
        let log = fma(beyond_first_order(f), f, f);
        fma(k, core::f32::consts::LN_2, log)
    })
}

/// Returns the logarithm to base 2.
#[inline(always)]
pub(crate) fn log2f(x: f32) -> f32 {
    logarithm(x, |k, f| {
        let p = horner!(
            f,
            -0.176_283_34,
            0.203_438_4,
            -0.177_918_26,
            0.201_723_66,
            -0.240_500_24,
            0.288_709_64,
            -0.360_674_17,
            0.480_896_3,
            -0.721_347_5
        );
        // The first term, f / ln 2, is in two parts.
        let rest = fma(p * f, f, f * LOG2_E[1]);
        k + fma(f, LOG2_E[0], rest)
    })
}

/// Returns the logarithm to base 10.
#[inline(always)]
pub(crate) fn log10f(x: f32) -> f32 {
    logarithm(x, |k, f| {
        let log = fma(beyond_first_order(f), f, f);
        let log = fma(log, core::f32::consts::LOG10_E, k * -1.432_098_9e-8);
        fma(k, core::f32::consts::LOG10_2, log)
    })
}

/// Returns the logarithm of `1 + x`.
#[inline(always)]
pub(crate) fn log1pf(x: f32) -> f32 {
    // 2^-k (1 + x) = 1 + f. The scale is 4 * 2^-k, because 2^-128 is not a normal number.
    let sum = 1.0 + x;
    let exponent = sum.to_bits().wrapping_sub(TWO_THIRDS) & 0xff80_0000;
    let scale = f32::from_bits(0x4080_0000u32.wrapping_sub(exponent));
    let offset = fma(scale, 0.25, -1.0);
    let f = fma(x * scale, 0.25, offset);
    // What the rounding of f left out.
    let low = fma(x * scale, 0.25, offset - f);
    let k = exponent as i32 as f32 * (1.0 / 8_388_608.0);
    let log = f + fma(beyond_first_order(f), f, low);
    let result = fma(k, core::f32::consts::LN_2, log);
    // A zero keeps its sign.
    let is_positive_finite = sum.to_bits().wrapping_sub(1) < 0x7f7f_ffff;
    if is_positive_finite && x != 0.0 {
        result
    } else if x == 0.0 {
        x
    } else {
        lg2(sum)
    }
}
