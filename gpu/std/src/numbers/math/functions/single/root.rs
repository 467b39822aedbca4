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

/// Returns the distance of the point from the origin.
#[inline(always)]
pub(crate) fn hypotf(x: f32, y: f32) -> f32 {
    let largest = x.abs().max(y.abs());
    // A power of two near the larger one, whose reciprocal is a normal number too.
    let scale = (largest.to_bits() & 0x7f80_0000).clamp(0x0080_0000, 0x7e80_0000);
    let inverse = f32::from_bits(0x7f00_0000 - scale);
    let (u, v) = (x * inverse, y * inverse);
    let root = sqrt(fma(u, u, v * v)) * f32::from_bits(scale);
    // Of an infinity and a NaN too, it is infinite.
    if largest == f32::INFINITY {
        largest
    } else {
        root
    }
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
