//! The error function and its relatives.

use super::exponential::{LOG2_E, split};
use super::machine::{ex2, fma, mul, rcp};

/// Returns the error function.
#[inline(always)]
pub(crate) fn erff(x: f32) -> f32 {
    let a = x.abs();
    let square = x * x;
    let small = horner!(
        square,
        0.000_078_069_12,
        -0.000_799_785_37,
        0.005_187_162,
        -0.026_853_347,
        0.112_835_79,
        -0.376_126_26,
        0.128_379_17
    );
    let small = fma(small, x, x);
    // The logarithm of 1 - erf, which is less than half a unit from 4 on.
    let logarithm = horner!(
        a.min(4.0),
        0.000_268_868_46,
        -0.004_252_395_6,
        0.031_505,
        -0.148_750_26,
        -0.920_649_9,
        -1.626_045_1,
        -0.000_492_923_14
    );
    let large = (1.0 - ex2(logarithm)).copysign(x);
    if a >= 1.0 { large } else { small }
}

/// Returns `erfc(a) e^(a^2)` of a positive `a` up to 10.1.
///
/// Times `1 + 2 a` it is nearly constant, so it is a polynomial of `(a - 2) / (a + 2)`.
/// M. Shepherd, J. Laframboise, "Chebyshev Approximation of (1 + 2x) exp(x^2) erfc x", 1981.
#[inline(always)]
fn scaled(a: f32) -> f32 {
    let r = rcp(a + 2.0);
    let q = (a - 2.0) * r;
    // What is left of (a - 2) - q (a + 2), for the rounding of both and of the reciprocal.
    let rest = fma(-q, a, fma(-2.0, q + 1.0, a));
    let t = fma(r, rest, q);
    let p = horner!(
        t,
        -0.000_431_815_83,
        -0.001_267_869_7,
        0.001_343_337_9,
        0.008_670_985,
        -0.008_070_59,
        -0.054_217_316,
        0.164_057_29,
        -0.166_030_05,
        -0.092_764_12
    );
    // The last coefficient, with what the rounding of the sum leaves out.
    const LAST: f32 = 1.276_978_4;
    let sum = fma(p, t, LAST);
    let low = fma(p, t, LAST - sum);
    let r = rcp(fma(2.0, a, 1.0));
    let q = sum * r;
    let rest = fma(-2.0 * q, a, sum - q) + low;
    fma(rest, r, q)
}

/// Returns `erfc(a)`, where `a^2` is the sum of two numbers.
#[inline(always)]
pub(super) fn scaled_tail(a: f32, square: f32, low: f32) -> f32 {
    let y = scaled(a);
    let (r, scale) = split(-square, LOG2_E);
    let power = ex2(fma(low, -LOG2_E[0], r)) * scale;
    power * y
}

/// Returns one minus the error function.
#[inline(always)]
pub(crate) fn erfcf(x: f32) -> f32 {
    let a = x.abs();
    let square = mul(a, a);
    let low = fma(a, a, -square);
    let tail = scaled_tail(a, square, low);
    let tail = if a > 10.06 { 0.0 } else { tail };
    if x < 0.0 { 2.0 - tail } else { tail }
}

/// Returns `e^(x^2)` times one minus the error function.
#[inline(always)]
pub(crate) fn erfcxf(x: f32) -> f32 {
    let a = x.abs();
    // 1 / (sqrt(pi) a) times a series of 1 / (2 a^2). The factor 16 keeps the reciprocal normal.
    let r = rcp(0.0625 * a);
    let t = 0.0625 * r;
    let u = -0.5 * t * t;
    let series = fma(fma(fma(15.0, u, 3.0), u, 1.0), u, 1.0);
    let large = 0.564_189_6 * series * r * 0.0625;
    let positive = if a > 10.0 { large } else { scaled(a) };
    // Beyond 20 the power is infinite.
    let b = if a > 20.0 { 20.0 } else { a };
    let square = mul(b, b);
    let low = fma(b, b, -square);
    let (r, scale) = split(square, LOG2_E);
    let power = ex2(fma(low, LOG2_E[0], r)) * scale;
    if x < 0.0 {
        2.0 * power - positive
    } else {
        positive
    }
}
