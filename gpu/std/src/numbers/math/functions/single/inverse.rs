//! Angles from their sine, cosine and tangent.

use super::machine::{fma, rcp, sqrt};

/// Two numbers whose product is pi/2, with 2^-42 for an error. So a fused sum with it is as
/// accurate as one with pi/2 in two parts.
const FRAC_PI_2: [f32; 2] = [1.218_498, 1.289_125_1];

/// Returns pi/2 minus an angle.
#[inline(always)]
fn complement(angle: f32) -> f32 {
    fma(FRAC_PI_2[0], FRAC_PI_2[1], -angle)
}

/// Returns pi minus an angle.
#[inline(always)]
fn supplement(angle: f32) -> f32 {
    fma(FRAC_PI_2[0], 2.0 * FRAC_PI_2[1], -angle)
}

/// Returns the arc sine of `a` from 0 to 0.56.
#[inline(always)]
fn small_asin(a: f32, square: f32) -> f32 {
    let p = horner!(
        square,
        0.050_783_16,
        0.018_803_645,
        0.046_618_283,
        0.074_857_354,
        0.166_669_97
    );
    fma(p * square, a, a)
}

/// Returns the argument of `small_asin` and its square for `a`. If `a` is large, it is the root of
/// `(1 - a) / 2`, and half of the angle's complement is computed.
#[inline(always)]
fn half_complement(a: f32) -> (bool, f32, f32) {
    let is_large = a > 0.56;
    let square = if is_large { fma(-0.5, a, 0.5) } else { a * a };
    let root = if is_large { sqrt(square) } else { a };
    (is_large, root, square)
}

/// Returns the angle whose sine is `x`.
#[inline(always)]
pub(crate) fn asinf(x: f32) -> f32 {
    let (is_large, root, square) = half_complement(x.abs());
    let angle = small_asin(root, square);
    let result = if is_large {
        complement(2.0 * angle)
    } else {
        angle
    };
    result.copysign(x)
}

/// Returns the angle whose cosine is `x`.
#[inline(always)]
pub(crate) fn acosf(x: f32) -> f32 {
    let (is_large, root, square) = half_complement(x.abs());
    let angle = small_asin(root, square);
    let is_negative = x < 0.0;
    let small = complement(if is_negative { -angle } else { angle });
    let large = if is_negative {
        supplement(2.0 * angle)
    } else {
        2.0 * angle
    };
    if is_large { large } else { small }
}

/// Returns the arc tangent of `t` from 0 to 1.
#[inline(always)]
fn small_atan(t: f32) -> f32 {
    let square = t * t;
    let p = horner!(
        square,
        0.002_920_443_7,
        -0.016_366_638,
        0.043_209_154,
        -0.075_519_24,
        0.106_658_39,
        -0.142_110_08,
        0.199_937_67,
        -0.333_331_53
    );
    fma(p * square, t, t)
}

/// Returns the angle whose tangent is `x`.
#[inline(always)]
pub(crate) fn atanf(x: f32) -> f32 {
    let a = x.abs();
    let is_large = a > 1.0;
    let angle = small_atan(if is_large { rcp(a) } else { a });
    if is_large { complement(angle) } else { angle }.copysign(x)
}

/// Returns the angle of the point (`x`, `y`).
#[inline(always)]
pub(crate) fn atan2f(y: f32, x: f32) -> f32 {
    let (u, v) = (x.abs(), y.abs());
    let (larger, smaller) = (u.max(v), u.min(v));
    // A power of two near the reciprocal of the larger one, so that neither is denormal.
    let scale = (larger.to_bits() & 0x7f80_0000).clamp(0x0080_0000, 0x7e80_0000);
    let inverse = f32::from_bits(0x7f00_0000 - scale);
    let (dividend, divisor) = (smaller * inverse, larger * inverse);
    let r = rcp(divisor);
    let q = dividend * r;
    let quotient = fma(fma(-q, divisor, dividend), r, q);
    // Of two zeros it is zero, of two infinities one, and of a number and an infinity zero.
    let extreme = if smaller == f32::INFINITY { 1.0 } else { 0.0 };
    let is_extreme = larger == 0.0 || larger == f32::INFINITY;
    let angle = small_atan(if is_extreme { extreme } else { quotient });
    let angle = if v > u { complement(angle) } else { angle };
    let angle = if x.is_sign_negative() {
        supplement(angle)
    } else {
        angle
    };
    if x.is_nan() || y.is_nan() {
        x + y
    } else {
        angle.copysign(y)
    }
}
