//! The normal distribution, and the inverses of the error functions.
//!
//! `erfinv(x) / x` is a polynomial of `log2(1 - x^2)`, and far from zero one of the reciprocal of
//! its root. M. Giles, "Approximating the erfinv function", 2010.

use super::error::scaled_tail;
use super::machine::{fma, lg2_denormal, mul, rsqrt};

/// Returns the inverse of the error function where `x` has this `1 - x^2`.
#[inline(always)]
fn inverse(x: f32, rest: f32) -> f32 {
    let v = -lg2_denormal(rest);
    let near = horner!(
        v - 3.6,
        4.737_088_3e-12,
        -3.409_103e-10,
        2.330_98e-9,
        2.735_046_5e-8,
        -4.824_323e-7,
        9.584_511e-7,
        0.000_046_969_508,
        -0.000_587_643_94,
        0.000_116_939_664,
        0.170_564_03
    );
    // Half of the root of pi in two parts, which is the quotient at zero.
    let near = fma(fma(near, v, -2.662_32e-8), x, 0.886_226_95 * x);
    let s = rsqrt(v);
    let far = horner!(
        s - 0.218_75,
        19.062_517,
        17.042_22,
        -8.824_098,
        0.944_173_3,
        -1.431_316_6,
        0.738_163_8,
        0.120_788_2,
        -0.195_890_93,
        0.797_116_04
    );
    // Times the root of v, with what the rounding of the root and of the product leaves out.
    let root = v * s;
    let rest_of_root = fma(-root, root, v) * (0.5 * s);
    let product = mul(far, root);
    let low = fma(far, rest_of_root, fma(far, root, -product));
    let far = product + low;
    let far = if rest == 0.0 { f32::INFINITY } else { far };
    if v > 7.2 { far.copysign(x) } else { near }
}

/// Returns the number whose error function is `x`.
#[inline(always)]
pub(crate) fn erfinvf(x: f32) -> f32 {
    inverse(x, fma(-x, x, 1.0))
}

/// Returns the number `y` for which `1 - erf y` is `x`.
#[inline(always)]
pub(crate) fn erfcinvf(x: f32) -> f32 {
    inverse(1.0 - x, x * (2.0 - x))
}

/// Returns the part of a standard normal distribution below `x`.
#[inline(always)]
pub(crate) fn normcdff(x: f32) -> f32 {
    let a = x.abs();
    // e^(-x^2 / 2), with what the rounding of the square leaves out.
    let half = 0.5 * a;
    let square = mul(half, a);
    let low = fma(half, a, -square);
    let tail = 0.5 * scaled_tail(a * core::f32::consts::FRAC_1_SQRT_2, square, low);
    let tail = if a > 14.3 { 0.0 } else { tail };
    if x > 0.0 { 1.0 - tail } else { tail }
}

/// Returns the number below which this part of a standard normal distribution is.
#[inline(always)]
pub(crate) fn normcdfinvf(x: f32) -> f32 {
    erfcinvf(2.0 * x) * -core::f32::consts::SQRT_2
}
