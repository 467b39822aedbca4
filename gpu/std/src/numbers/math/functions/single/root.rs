//! Roots.

use super::machine::{ex2, fma, lg2_denormal, rcp, rsqrt, sqrt};

/// Returns the cube root.
#[inline(always)]
pub(crate) fn cbrtf(x: f32) -> f32 {
    let a = x.abs();
    // a^(-1/3) (1 + e) with a small e.
    let w = ex2(lg2_denormal(a) * (-1.0 / 3.0));
    // a^(1/3) (1 + 2 e), and the 2 e taken away.
    let y = a * w * w;
    let e3 = fma(-y, w, 1.0);
    let root = fma(y * (2.0 / 3.0), e3, y).copysign(x);
    // Zero, infinity, and NaN, which differs from everything.
    if x + x == x { x } else { root }
}

/// Returns the sum of the squares of these numbers over a power of two, that power, its reciprocal,
/// and whether a number is infinite. The power is near the largest number.
#[inline(always)]
fn squares<const N: usize>(values: [f32; N]) -> (f32, f32, f32, bool) {
    let largest = values.iter().fold(0f32, |most, x| most.max(x.abs()));
    // The reciprocal is a normal number, too.
    let scale = (largest.to_bits() & 0x7f80_0000).clamp(0x0080_0000, 0x7e80_0000);
    let inverse = f32::from_bits(0x7f00_0000 - scale);
    let sum = values.iter().fold(0.0, |sum, x| {
        let x = x * inverse;
        fma(x, x, sum)
    });
    (
        sum,
        f32::from_bits(scale),
        inverse,
        largest == f32::INFINITY,
    )
}

/// Returns the length of a vector.
#[inline(always)]
fn length<const N: usize>(vector: [f32; N]) -> f32 {
    let (sum, scale, _, is_infinite) = squares(vector);
    // Of an infinity and a NaN too, it is infinite.
    if is_infinite {
        f32::INFINITY
    } else {
        sqrt(sum) * scale
    }
}

/// Returns the reciprocal of the length of a vector.
#[inline(always)]
fn reciprocal_length<const N: usize>(vector: [f32; N]) -> f32 {
    let (sum, _, inverse, is_infinite) = squares(vector);
    if is_infinite {
        0.0
    } else {
        rsqrt(sum) * inverse
    }
}

/// Returns the distance of the point from the origin.
#[inline(always)]
pub(crate) fn hypotf(x: f32, y: f32) -> f32 {
    length([x, y])
}

/// Returns the reciprocal of the distance of the point from the origin.
#[inline(always)]
pub(crate) fn rhypotf(x: f32, y: f32) -> f32 {
    reciprocal_length([x, y])
}

/// Returns the length of a vector of three numbers.
#[inline(always)]
pub(crate) fn norm3df(x: f32, y: f32, z: f32) -> f32 {
    length([x, y, z])
}

/// Returns the reciprocal of the length of a vector of three numbers.
#[inline(always)]
pub(crate) fn rnorm3df(x: f32, y: f32, z: f32) -> f32 {
    reciprocal_length([x, y, z])
}

/// Returns the length of a vector of four numbers.
#[inline(always)]
pub(crate) fn norm4df(x: f32, y: f32, z: f32, w: f32) -> f32 {
    length([x, y, z, w])
}

/// Returns the reciprocal of the length of a vector of four numbers.
#[inline(always)]
pub(crate) fn rnorm4df(x: f32, y: f32, z: f32, w: f32) -> f32 {
    reciprocal_length([x, y, z, w])
}

/// Returns the reciprocal of the square root.
#[inline(always)]
pub(crate) fn rsqrtf(x: f32) -> f32 {
    rsqrt(x)
}

/// Returns the reciprocal of the cube root.
#[inline(always)]
pub(crate) fn rcbrtf(x: f32) -> f32 {
    let a = x.abs();
    // a^(-1/3) (1 + e), and the e taken away.
    let w = ex2(lg2_denormal(a) * (-1.0 / 3.0));
    let e3 = fma(-(a * w), w * w, 1.0);
    let root = fma(w * (1.0 / 3.0), e3, w).copysign(x);
    // Zero, infinity, and NaN, which differs from everything.
    if x + x == x { rcp(x) } else { root }
}
