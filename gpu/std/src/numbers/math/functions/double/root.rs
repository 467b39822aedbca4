//! Roots and their reciprocals.

use super::exponential::shift;
use super::machine::{fma, gross_cube_root, root, rsqrt_approx};

/// Returns the reciprocal of the square root.
#[inline(always)]
pub(crate) fn rsqrt(x: f64) -> f64 {
    rsqrt_approx(x)
}

/// Returns `a` as `m` from 1 to 8, its reciprocal cube root and a third of the exponent that
/// `m` lacks, for a positive normal number or denormal.
#[inline(always)]
fn reciprocal_cube_root(a: f64) -> (f64, f64, i32) {
    let is_denormal = a < f64::MIN_POSITIVE;
    let normal = if is_denormal {
        a * 18_014_398_509_481_984.0
    } else {
        a
    };
    let exponent = (normal.to_bits() >> 52) as i32 - 1023;
    // The quotient by 3, rounded down, of numbers from -1023 to 1024.
    let third = (((exponent + 1026) * 21_846) >> 16) - 342;
    let m = shift(normal, -3 * third);
    let w = gross_cube_root(m);
    // w (1 + e / 3 + 2 e^2 / 9), with an e of about 2^-20.
    let e = fma(-m * w, w * w, 1.0);
    let w = fma(fma(e * (2.0 / 9.0), e, e * (1.0 / 3.0)), w, w);
    (m, w, if is_denormal { third - 18 } else { third })
}

/// Returns the cube root.
#[inline(always)]
pub(crate) fn cbrt(x: f64) -> f64 {
    let (m, w, third) = reciprocal_cube_root(x.abs());
    let square = w * w;
    let y = m * square;
    // The rounding of y, by a Newton step.
    let y = fma(fma(-(y * y), y, m), square * (1.0 / 3.0), y);
    let root = shift(y, third).copysign(x);
    // Zero, infinity, and NaN, which differs from everything.
    if x + x == x || x.is_nan() { x } else { root }
}

/// Returns the reciprocal of the cube root.
#[inline(always)]
pub(crate) fn rcbrt(x: f64) -> f64 {
    let (m, w, third) = reciprocal_cube_root(x.abs());
    let e = fma(-(m * w), w * w, 1.0);
    let root = shift(fma(e * (1.0 / 3.0), w, w), -third).copysign(x);
    if x == 0.0 {
        f64::INFINITY.copysign(x)
    } else if x.abs() < f64::INFINITY {
        root
    } else {
        0.0 * x.signum()
    }
}

/// Returns the distance of the point from the origin.
#[inline(always)]
pub(crate) fn hypot(x: f64, y: f64) -> f64 {
    let (a, b) = (x.abs(), y.abs());
    let largest = if b > a { b } else { a };
    // A power of two near the larger one, whose reciprocal is a normal number too.
    let scale = ((largest.to_bits() >> 32) as u32 & 0x7ff0_0000).clamp(0x0010_0000, 0x7fd0_0000);
    let inverse = f64::from_bits(u64::from(0x7fe0_0000 - scale) << 32);
    let (u, v) = (x * inverse, y * inverse);
    let result = root(fma(u, u, v * v)) * f64::from_bits(u64::from(scale) << 32);
    // Of an infinity and a NaN too, it is infinite.
    if a == f64::INFINITY || b == f64::INFINITY {
        f64::INFINITY
    } else {
        result
    }
}
