//! Conversions of integer texels that are read as floats, and of floats to
//! texel formats (`cudaReadModeNormalizedFloat`).
//!
//! CUDA C++ Programming Guide, "Texture Object API": the range of an unsigned type is mapped to [0,
//! 1], and that of a signed type to [-1, 1], with both ends exact. The smallest signed value, which
//! would be below -1, becomes -1.

/// Converts an 8-bit unsigned texel.
#[inline]
pub(crate) fn unorm8(x: u8) -> f32 {
    f32::from(x) / 255.0
}

/// Converts a 16-bit unsigned texel.
#[inline]
pub(crate) fn unorm16(x: u16) -> f32 {
    f32::from(x) / 65535.0
}

/// Converts an 8-bit signed texel.
#[inline]
pub(crate) fn snorm8(x: i8) -> f32 {
    (f32::from(x) / 127.0).max(-1.0)
}

/// Converts a 16-bit signed texel.
#[inline]
pub(crate) fn snorm16(x: i16) -> f32 {
    (f32::from(x) / 32767.0).max(-1.0)
}

/// Converts a float to `.f16`, rounded towards zero, as an H200 (driver 580.159.04, 2026-11-21)
/// stores formatted values and border colours. A finite value stays finite. A NaN keeps the upper
/// bits of its payload, or at least one bit.
#[inline]
pub(crate) fn half(x: f32) -> u16 {
    if x.is_nan() {
        let bits = x.to_bits();
        let payload = (bits >> 13 & 0x3ff).max(1);
        return (bits >> 16 & 0x8000 | 0x7c00 | payload) as u16;
    }
    let nearest = half::f16::from_f32(x);
    let bits = nearest.to_bits();
    // Go one step back if the rounding was away from zero; from infinity to the largest number.
    if nearest.to_f32().abs() > x.abs() {
        bits - 1
    } else {
        bits
    }
}

/// Converts a border's colour to a texel of `bits` (8 or 16) that is read as a float. It is clamped
/// and rounded to the nearest, ties towards zero. (An H200 truncates the colour first, so a colour
/// a few thousandths above the middle may be rounded down there.)
#[inline]
pub(crate) fn unorm(x: f32, bits: u32) -> u32 {
    let most = ((1u32 << bits) - 1) as f32;
    (x.clamp(0.0, 1.0) * most - 0.5).ceil() as u32
}

/// Does the same as [`unorm`], for signed texels.
#[inline]
pub(crate) fn snorm(x: f32, bits: u32) -> i32 {
    let most = ((1u32 << (bits - 1)) - 1) as f32;
    let size = (x.abs().min(1.0) * most - 0.5).ceil() as i32;
    if x < 0.0 { -size } else { size }
}
