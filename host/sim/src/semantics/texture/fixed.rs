//! From a coordinate to a place among texels, as an H200 has it: in fixed point.
//!
//! CUDA C++ Programming Guide, "Texture Fetching", says which texels a coordinate means, and that
//! weights have 8 bits of fraction; it leaves open how coordinates are rounded on the way. Measured
//! on an H200 (driver 580.159.04, 2026-11-21), on axes of 5 to 10007 texels, bit for bit: a
//! normalised coordinate is cut to 21 bits of fraction (to as many more as 256ths of a longer axis
//! need), then multiplied; a place for filtering is rounded to 256ths of a texel, halves up. A NaN
//! is zero, and so is an infinity where coordinates wrap; what is subnormal is zero.

use super::address::{AddressMode, texel};

/// Bits of fraction of a coordinate that counts texels: more than are looked at.
const PLAIN: u32 = 24;

/// A position on an axis of `size` texels, and its bits of fraction.
#[inline]
fn position(x: f32, size: u32, normalized: bool, mode: AddressMode) -> (i64, u32) {
    let repeats = normalized && matches!(mode, AddressMode::Wrap | AddressMode::Mirror);
    let x = match x {
        x if x.is_nan() || x.abs() < f32::MIN_POSITIVE => 0.0,
        x if repeats && x.is_infinite() => 0.0,
        x => f64::from(x),
    };
    if !normalized {
        let far = f64::from(1u32 << 31);
        let scale = f64::from(1u32 << PLAIN);
        return ((x.clamp(-far, far) * scale).floor() as i64, PLAIN);
    }
    let length = 32 - size.saturating_sub(1).leading_zeros();
    let bits = (8 + length).max(21);
    let scale = (1u64 << bits) as f64;
    // Every step is exact: powers of two, and remainders of whole numbers.
    let cut = match mode {
        AddressMode::Wrap => (x * scale).floor().rem_euclid(scale),
        AddressMode::Mirror => (x * scale).floor().rem_euclid(2.0 * scale),
        // Further out nothing changes.
        AddressMode::Clamp | AddressMode::Border => (x.clamp(-65536.0, 65536.0) * scale).floor(),
    };
    ((cut as i64).saturating_mul(size.into()), bits)
}

/// The texel of a point-sampled fetch at `x`, and this many texels further; `None` is the border.
#[inline]
pub(crate) fn point(
    x: f32,
    offset: i64,
    size: u32,
    normalized: bool,
    mode: AddressMode,
) -> Option<u32> {
    let (position, bits) = position(x, size, normalized, mode);
    let index = (position >> bits).saturating_add(offset);
    texel(index, size, mode.for_coordinates(normalized))
}

/// The two texels of a linear fetch along one axis, and the weight of the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tap {
    /// The texels at and after the coordinate's; `None` is the border.
    pub(crate) texels: [Option<u32>; 2],
    /// The weight of the second, in 256ths: below 256.
    pub(crate) weight: u32,
}

impl Tap {
    /// The only texel of an axis that is none.
    pub(crate) const ONLY: Tap = Tap {
        texels: [Some(0); 2],
        weight: 0,
    };
}

/// The texels and the weight of a linear fetch at `x`, and this many texels further.
#[inline]
pub(crate) fn linear(x: f32, offset: i64, size: u32, normalized: bool, mode: AddressMode) -> Tap {
    let mut centred = centred(x, size, normalized, mode).saturating_add(offset * 256);
    let mode = mode.for_coordinates(normalized);
    if mode == AddressMode::Clamp {
        // Beyond the middle of the last texel there is that texel, with all of the weight.
        centred = centred.clamp(0, (i64::from(size) - 1).max(0) * 256);
    }
    let first = centred >> 8;
    Tap {
        texels: [texel(first, size, mode), texel(first + 1, size, mode)],
        weight: (centred & 255) as u32,
    }
}

/// The two texels around `x`, and this many further, as a gather takes them: beyond the last one
/// twice that one.
#[inline]
pub(crate) fn around(
    x: f32,
    offset: i64,
    size: u32,
    normalized: bool,
    mode: AddressMode,
) -> [Option<u32>; 2] {
    let first = (centred(x, size, normalized, mode) >> 8).saturating_add(offset);
    let mode = mode.for_coordinates(normalized);
    [texel(first, size, mode), texel(first + 1, size, mode)]
}

/// A position in 256ths of a texel, from the middle of the first.
#[inline]
fn centred(x: f32, size: u32, normalized: bool, mode: AddressMode) -> i64 {
    let (position, bits) = position(x, size, normalized, mode);
    (position.saturating_add(1 << (bits - 9)) >> (bits - 8)) - 128
}
