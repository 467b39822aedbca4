//! Angles from their sine, cosine and tangent.

use core::f64::consts::{FRAC_PI_2, PI};

use super::machine::{fma, reciprocal, root};

/// What pi/2 lacks to the number of that name.
const FRAC_PI_2_LOW: f64 = 6.123_233_995_736_766e-17;

/// Returns pi/2 minus an angle.
#[inline(always)]
fn complement(angle: f64) -> f64 {
    FRAC_PI_2 - (angle - FRAC_PI_2_LOW)
}

/// Returns pi minus an angle.
#[inline(always)]
fn supplement(angle: f64) -> f64 {
    PI - (angle - 2.0 * FRAC_PI_2_LOW)
}

/// Returns the arc sine of `a` from 0 to 1/2.
#[inline(always)]
fn small_asin(a: f64, square: f64) -> f64 {
    let p = horner!(
        square,
        0.031_934_691_408_287_79,
        -0.016_256_385_412_057_265,
        0.019_548_360_621_771_878,
        0.006_520_777_182_018_796,
        0.012_170_840_919_273_16,
        0.013_884_992_951_492_266,
        0.017_359_728_706_597_462,
        0.022_371_756_506_588_12,
        0.030_381_959_199_315_293,
        0.044_642_856_826_874_14,
        0.075_000_000_003_386_86,
        0.166_666_666_666_654_03
    );
    fma(p * square, a, a)
}

/// Returns the argument of `small_asin` and its square for `a`. If `a` is large, it is the root of
/// `(1 - a) / 2`, and half of the angle's complement is computed.
#[inline(always)]
fn half_complement(a: f64) -> (bool, f64, f64) {
    let is_large = a > 0.5;
    let square = if is_large { fma(-0.5, a, 0.5) } else { a * a };
    let argument = if is_large { root(square) } else { a };
    (is_large, argument, square)
}

/// Returns the angle whose sine is `x`.
#[inline(always)]
pub(crate) fn asin(x: f64) -> f64 {
    let (is_large, argument, square) = half_complement(x.abs());
    let angle = small_asin(argument, square);
    let result = if is_large {
        complement(2.0 * angle)
    } else {
        angle
    };
    result.copysign(x)
}

/// Returns the angle whose cosine is `x`.
#[inline(always)]
pub(crate) fn acos(x: f64) -> f64 {
    let (is_large, argument, square) = half_complement(x.abs());
    let angle = small_asin(argument, square);
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
fn small_atan(t: f64) -> f64 {
    let square = t * t;
    let p = horner!(
        square,
        -0.000_020_258_247_879_309_93,
        0.000_223_019_490_062_729_03,
        -0.001_164_058_983_998_081_7,
        0.003_855_940_680_486_171_3,
        -0.009_184_496_708_626_98,
        0.016_977_953_544_545_236,
        -0.025_826_716_099_077_628,
        0.034_067_751_003_381_43,
        -0.040_926_348_172_324_22,
        0.046_739_481_211_932_59,
        -0.052_392_325_036_944_07,
        0.058_773_076_448_007_49,
        -0.066_658_603_391_983_01,
        0.076_922_129_272_435_26,
        -0.090_909_012_350_743_27,
        0.111_111_106_787_282_41,
        -0.142_857_142_713_339_9,
        0.199_999_999_997_550_03,
        -0.333_333_333_333_318_6
    );
    fma(p * square, t, t)
}

/// Returns the angle whose tangent is `x`.
#[inline(always)]
pub(crate) fn atan(x: f64) -> f64 {
    let a = x.abs();
    let is_large = a > 1.0;
    // From 2^64 on the reciprocal does not count.
    let inverse = if a > 18_446_744_073_709_551_616.0 {
        0.0
    } else {
        reciprocal(a)
    };
    let angle = small_atan(if is_large { inverse } else { a });
    if is_large { complement(angle) } else { angle }.copysign(x)
}

/// Returns the angle of the point (`x`, `y`).
#[inline(always)]
pub(crate) fn atan2(y: f64, x: f64) -> f64 {
    let (u, v) = (x.abs(), y.abs());
    let (larger, smaller) = if v > u { (v, u) } else { (u, v) };
    // A power of two near the reciprocal of the larger one, so that neither is denormal.
    let scale = ((larger.to_bits() >> 32) as u32 & 0x7ff0_0000).clamp(0x0010_0000, 0x7fd0_0000);
    let inverse = f64::from_bits(u64::from(0x7fe0_0000 - scale) << 32);
    let (dividend, divisor) = (smaller * inverse, larger * inverse);
    let r = reciprocal(divisor);
    let q = dividend * r;
    let quotient = fma(fma(-q, divisor, dividend), r, q);
    // Of two zeros it is zero, of two infinities one, and of a number and an infinity zero.
    let extreme = if smaller == f64::INFINITY { 1.0 } else { 0.0 };
    let is_extreme = larger == 0.0 || larger == f64::INFINITY;
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
