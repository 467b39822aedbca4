//! Levels of mipmaps, in 256ths: what a fetch asks for, what the sampler makes of it.
//!
//! CUDA C++ Programming Guide, "Texture Object API" (`mipmapLevelBias` and the clamps); the level of gradients is OpenGL's. The
//! rounding is an H200's (driver 580.159.04, 2026-11-21): levels, clamps and the bias are cut to 256ths towards zero, and a level
//! by gradients comes from a logarithm of 8 bits. Open there and here: how two gradients make one. OpenGL wants at least the longer
//! one, which this takes; an H200 has up to 118/256 of a level more when both are as long.

/// A level that a fetch names.
#[inline]
pub(crate) fn of(level: f32) -> i32 {
    // A cast saturates, and takes a NaN for zero.
    (level * 256.0) as i32
}

/// The level at which so many texels lie between neighbouring pixels.
#[inline]
pub(crate) fn of_distance(texels: f32) -> i32 {
    if texels.is_nan() {
        return 0;
    }
    if texels < f32::MIN_POSITIVE {
        return i32::MIN / 2;
    }
    if texels.is_infinite() {
        return i32::MAX / 2;
    }
    let exponent = (texels.to_bits() >> 23) as i32 - 127;
    let mantissa = (texels.to_bits() >> 15 & 0xff) as f64;
    // The middle of what the 8 bits stand for; exactly 1 is exactly 0.
    let logarithm = ((mantissa + 0.5) / 256.0).ln_1p() / std::f64::consts::LN_2 * 256.0;
    let fraction = if mantissa == 0.0 {
        0
    } else {
        ((logarithm + 0.469) as i32).min(255)
    };
    exponent * 256 + fraction
}

/// The level that is read: with the sampler's bias, and inside its clamps and the levels that there are.
#[inline]
pub(crate) fn clamped(level: i32, bias: f32, [least, most]: [f32; 2], last: usize) -> i32 {
    let bias = (bias * 256.0) as i32;
    let level = level.saturating_add(bias).max(of(least)).min(of(most));
    level.clamp(0, last as i32 * 256)
}
