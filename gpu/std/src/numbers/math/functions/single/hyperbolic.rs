//! Hyperbolic functions.

use core::f32::consts::LN_2;

use super::exponential::{LOG2_E, split};
use super::logarithm::log1pf;
use super::machine::{ex2, fma, rcp, sqrt};

/// Returns the hyperbolic tangent: `1 - 2 / (e^2x + 1)`, or its series near zero.
#[inline(always)]
pub(crate) fn tanhf(x: f32) -> f32 {
    let a = x.abs();
    // 2 / ln 2. The power is infinite for a large argument, and its reciprocal is then zero.
    let power = ex2(a * 2.885_39);
    let large = fma(-2.0, rcp(power + 1.0), 1.0);
    let square = x * x;
    let p = horner!(
        square,
        -0.005_514_928,
        0.020_469_146,
        -0.053_687_923,
        0.133_308_29,
        -0.333_332_6
    );
    let small = fma(p * square, x, x);
    // The sign last, so that a zero keeps its own.
    if a >= 0.65 { large } else { small }.copysign(x)
}

/// Returns `e^a / 2`.
#[inline(always)]
fn half_power(a: f32) -> f32 {
    let (r, scale) = split(a, LOG2_E);
    ex2(r) * (scale * 0.5)
}

/// Returns the hyperbolic sine: `(e^x - e^-x) / 2`, or its series near zero.
#[inline(always)]
pub(crate) fn sinhf(x: f32) -> f32 {
    let a = x.abs();
    let half = half_power(a);
    let large = fma(-0.25, rcp(half), half);
    let square = a * a;
    let p = horner!(square, 0.000_203_733_5, 0.008_330_271, 0.166_667_16);
    let small = fma(p * square, a, a);
    if a >= 1.0 { large } else { small }.copysign(x)
}

/// Returns the hyperbolic cosine, `(e^x + e^-x) / 2`.
#[inline(always)]
pub(crate) fn coshf(x: f32) -> f32 {
    let half = half_power(x.abs());
    fma(0.25, rcp(half), half)
}

/// Returns the number whose hyperbolic sine is `x`: `log(a + sqrt(a^2 + 1))` of its magnitude.
#[inline(always)]
pub(crate) fn asinhf(x: f32) -> f32 {
    let a = x.abs();
    // From here on it is log 2 a, and the square could be infinite.
    let is_large = a > 1e9;
    let sum = fma(a * a, rcp(1.0 + sqrt(fma(a, a, 1.0))), a);
    let log = log1pf(if is_large { a } else { sum });
    if is_large { log + LN_2 } else { log }.copysign(x)
}

/// Returns the number whose hyperbolic cosine is `x`: `log(x + sqrt(x^2 - 1))`.
#[inline(always)]
pub(crate) fn acoshf(x: f32) -> f32 {
    let t = x - 1.0;
    let is_large = t > 1e9;
    let sum = t + sqrt(fma(t, t, 2.0 * t));
    let log = log1pf(if is_large { t } else { sum });
    let result = if is_large { log + LN_2 } else { log };
    // The approximate root of a negative number may be anything.
    if x < 1.0 { f32::NAN } else { result }
}

/// Returns the number whose hyperbolic tangent is `x`: half of `log((1 + a) / (1 - a))`.
#[inline(always)]
pub(crate) fn atanhf(x: f32) -> f32 {
    let a = x.abs();
    // 2 a / (1 - a) as 2 a + 2 a^2 / (1 - a), which is more accurate for a small a.
    let twice = a + a;
    let quotient = fma(twice * a, rcp(1.0 - a), twice);
    let result = 0.5 * log1pf(quotient);
    if a > 1.0 {
        f32::NAN
    } else {
        result.copysign(x)
    }
}
