//! Hyperbolic functions.

use core::f64::consts::LN_2;

use super::exponential::{half_exp, moderate_exp};
use super::logarithm::log1p;
use super::machine::{fma, reciprocal, root};

/// Returns the hyperbolic tangent: `1 - 2 / (e^2x + 1)`, or its series near zero.
#[inline(always)]
pub(crate) fn tanh(x: f64) -> f64 {
    let a = x.abs();
    // From 20 on it is one.
    let power = moderate_exp(2.0 * if a > 20.0 { 20.0 } else { a });
    let sum = power + 1.0;
    let r = reciprocal(sum);
    // The reciprocal, less what the rounding of the sum added.
    let low = power - (sum - 1.0);
    let large = fma(-2.0, fma(-(low * r), r, r), 1.0);
    let square = a * a;
    let p = horner!(
        square,
        0.000_051_090_524_380_707_89,
        -0.000_210_406_252_306_245_5,
        0.000_579_203_311_195_054,
        -0.001_453_240_140_784_646_5,
        0.003_591_724_667_400_704,
        -0.008_863_195_154_852_79,
        0.021_869_486_026_275_93,
        -0.053_968_253_878_383_2,
        0.133_333_333_331_737_66,
        -0.333_333_333_333_323_5
    );
    let small = fma(p * square, a, a);
    if a >= 0.55 { large } else { small }.copysign(x)
}

/// Returns `e^a / 2`, and a quarter of its reciprocal. The latter is zero if it does not count.
#[inline(always)]
fn halves(a: f64) -> (f64, f64) {
    let half = half_exp(a);
    let inverse = 0.25 * reciprocal(half);
    (half, if a > 40.0 { 0.0 } else { inverse })
}

/// Returns the hyperbolic sine: `(e^x - e^-x) / 2`, or its series near zero.
#[inline(always)]
pub(crate) fn sinh(x: f64) -> f64 {
    let a = x.abs();
    let (half, inverse) = halves(a);
    let square = a * a;
    let p = horner!(
        square,
        7.759_310_803_910_426e-13,
        1.605_724_039_533_045_8e-10,
        2.505_212_339_774_8e-8,
        2.755_731_915_534_272e-6,
        0.000_198_412_698_414_376_6,
        0.008_333_333_333_333_139,
        0.166_666_666_666_666_69
    );
    let small = fma(p * square, a, a);
    if a >= 1.0 { half - inverse } else { small }.copysign(x)
}

/// Returns the hyperbolic cosine, `(e^x + e^-x) / 2`.
#[inline(always)]
pub(crate) fn cosh(x: f64) -> f64 {
    let (half, inverse) = halves(x.abs());
    half + inverse
}

/// Returns the number whose hyperbolic sine is `x`: `log(a + sqrt(a^2 + 1))` of its magnitude.
#[inline(always)]
pub(crate) fn asinh(x: f64) -> f64 {
    let a = x.abs();
    // From here on it is log 2 a, and the square could be infinite.
    let is_large = a > 1e20;
    let sum = fma(a * a, reciprocal(1.0 + root(fma(a, a, 1.0))), a);
    let log = log1p(if is_large { a } else { sum });
    if is_large { log + LN_2 } else { log }.copysign(x)
}

/// Returns the number whose hyperbolic cosine is `x`: `log(x + sqrt(x^2 - 1))`.
#[inline(always)]
pub(crate) fn acosh(x: f64) -> f64 {
    let t = x - 1.0;
    let is_large = t > 1e20;
    let sum = t + root(fma(t, t, 2.0 * t));
    let log = log1p(if is_large { t } else { sum });
    let result = if is_large { log + LN_2 } else { log };
    if x < 1.0 { f64::NAN } else { result }
}

/// Returns the number whose hyperbolic tangent is `x`: half of `log((1 + a) / (1 - a))`.
#[inline(always)]
pub(crate) fn atanh(x: f64) -> f64 {
    let a = x.abs();
    // 2 a / (1 - a) as 2 a + 2 a^2 / (1 - a), which is more accurate for a small a.
    let twice = a + a;
    let quotient = fma(twice * a, reciprocal(1.0 - a), twice);
    let result = 0.5 * log1p(quotient);
    let result = if a == 1.0 { f64::INFINITY } else { result };
    if a > 1.0 {
        f64::NAN
    } else {
        result.copysign(x)
    }
}
