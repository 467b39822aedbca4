//! Texels of integers read as floats (`cudaReadModeNormalizedFloat`).
//!
//! CUDA C++ Programming Guide, "Texture Object API": an unsigned type's range becomes [0, 1], a signed type's [-1, 1], both ends
//! exact; the smallest signed value, which lies past -1, is -1.

/// An 8-bit unsigned texel.
#[inline]
pub fn unorm8(x: u8) -> f32 {
    f32::from(x) / 255.0
}

/// A 16-bit unsigned texel.
#[inline]
pub fn unorm16(x: u16) -> f32 {
    f32::from(x) / 65535.0
}

/// An 8-bit signed texel.
#[inline]
pub fn snorm8(x: i8) -> f32 {
    (f32::from(x) / 127.0).max(-1.0)
}

/// A 16-bit signed texel.
#[inline]
pub fn snorm16(x: i16) -> f32 {
    (f32::from(x) / 32767.0).max(-1.0)
}
