//! Roots and their reciprocals.

use super::exponential::shift;
use super::machine::{fma, gross_cube_root, mul, root, rsqrt_approx};

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

/// Returns these numbers over a power of two, that power, its reciprocal, and whether a number is
/// infinite. The power is near the largest number.
#[inline(always)]
fn scaled<const N: usize>(values: [f64; N]) -> ([f64; N], f64, f64, bool) {
    let most = |most: f64, x: f64| if x.abs() > most { x.abs() } else { most };
    let largest = values.into_iter().fold(0.0, most);
    // The reciprocal is a normal number, too.
    let scale = ((largest.to_bits() >> 32) as u32 & 0x7ff0_0000).clamp(0x0010_0000, 0x7fd0_0000);
    let power = |upper: u32| f64::from_bits(u64::from(upper) << 32);
    let inverse = power(0x7fe0_0000 - scale);
    let scaled = values.map(|x| x * inverse);
    (scaled, power(scale), inverse, largest == f64::INFINITY)
}

/// Returns the length of a vector.
#[inline(always)]
fn length<const N: usize>(vector: [f64; N]) -> f64 {
    let (vector, scale, _, is_infinite) = scaled(vector);
    let sum = vector.into_iter().fold(0.0, |sum, x| fma(x, x, sum));
    // Of an infinity and a NaN too, it is infinite.
    if is_infinite {
        f64::INFINITY
    } else {
        root(sum) * scale
    }
}

/// Returns the reciprocal of the length of a vector.
#[inline(always)]
fn reciprocal_length<const N: usize>(vector: [f64; N]) -> f64 {
    let (vector, _, inverse, is_infinite) = scaled(vector);
    // The sum of the squares in two parts.
    let (mut sum, mut low) = (0.0, 0.0);
    for x in vector {
        let square = mul(x, x);
        let next = sum + square;
        let part = next - sum;
        low += (sum - (next - part)) + (square - part) + fma(x, x, -square);
        sum = next;
    }
    // A Newton step from the root of the first part to that of both.
    let r = rsqrt_approx(sum);
    let product = mul(sum, r);
    let rest = fma(sum, r, -product);
    let e = fma(-low * r, r, fma(-rest, r, fma(-product, r, 1.0)));
    if is_infinite {
        0.0
    } else if sum == 0.0 {
        f64::INFINITY
    } else {
        fma(0.5 * e, r, r) * inverse
    }
}

/// Returns the distance of the point from the origin.
#[inline(always)]
pub(crate) fn hypot(x: f64, y: f64) -> f64 {
    length([x, y])
}

/// Returns the reciprocal of the distance of the point from the origin.
#[inline(always)]
pub(crate) fn rhypot(x: f64, y: f64) -> f64 {
    reciprocal_length([x, y])
}

/// Returns the length of a vector of three numbers.
#[inline(always)]
pub(crate) fn norm3d(x: f64, y: f64, z: f64) -> f64 {
    length([x, y, z])
}

/// Returns the reciprocal of the length of a vector of three numbers.
#[inline(always)]
pub(crate) fn rnorm3d(x: f64, y: f64, z: f64) -> f64 {
    reciprocal_length([x, y, z])
}

/// Returns the length of a vector of four numbers.
#[inline(always)]
pub(crate) fn norm4d(x: f64, y: f64, z: f64, w: f64) -> f64 {
    length([x, y, z, w])
}

/// Returns the reciprocal of the length of a vector of four numbers.
#[inline(always)]
pub(crate) fn rnorm4d(x: f64, y: f64, z: f64, w: f64) -> f64 {
    reciprocal_length([x, y, z, w])
}
