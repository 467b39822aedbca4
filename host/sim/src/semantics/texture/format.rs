//! Texels of integers read as floats, and floats brought into formats
//! (`cudaReadModeNormalizedFloat`).
//!
//! CUDA C++ Programming Guide, "Texture Object API": an unsigned type's range becomes [0, 1], a
//! signed type's [-1, 1], both ends exact; the smallest signed value, which lies past -1, is -1.

/// An 8-bit unsigned texel.
#[inline]
pub(crate) fn unorm8(x: u8) -> f32 {
    f32::from(x) / 255.0
}

/// A 16-bit unsigned texel.
#[inline]
pub(crate) fn unorm16(x: u16) -> f32 {
    f32::from(x) / 65535.0
}

/// An 8-bit signed texel.
#[inline]
pub(crate) fn snorm8(x: i8) -> f32 {
    (f32::from(x) / 127.0).max(-1.0)
}

/// A 16-bit signed texel.
#[inline]
pub(crate) fn snorm16(x: i16) -> f32 {
    (f32::from(x) / 32767.0).max(-1.0)
}

/// A float as `.f16`, towards zero, as an H200 (driver 580.159.04, 2026-11-21) stores formatted
/// values and border colours: what is finite stays so, and what is no number keeps the upper bits
/// of its payload, or at least one.
#[inline]
pub(crate) fn half(x: f32) -> u16 {
    if x.is_nan() {
        let bits = x.to_bits();
        let payload = (bits >> 13 & 0x3ff).max(1);
        return (bits >> 16 & 0x8000 | 0x7c00 | payload) as u16;
    }
    let nearest = half::f16::from_f32(x);
    let bits = nearest.to_bits();
    // One step back where rounding went away from zero; from infinity to the largest number.
    if nearest.to_f32().abs() > x.abs() {
        bits - 1
    } else {
        bits
    }
}

/// A border's colour as a texel of `bits` (8 or 16) that reads as a float: clamped, to the nearest,
/// of two to the one nearer to zero. (An H200 cuts the colour first, so that one a few thousandths
/// beyond the middle may go down there.)
#[inline]
pub(crate) fn unorm(x: f32, bits: u32) -> u32 {
    let most = ((1u32 << bits) - 1) as f32;
    (x.clamp(0.0, 1.0) * most - 0.5).ceil() as u32
}

/// As [`unorm`], signed.
#[inline]
pub(crate) fn snorm(x: f32, bits: u32) -> i32 {
    let most = ((1u32 << (bits - 1)) - 1) as f32;
    let size = (x.abs().min(1.0) * most - 0.5).ceil() as i32;
    if x < 0.0 { -size } else { size }
}
