//! Converts a coordinate to a position among texels in fixed point, as an H200 does.
//!
//! CUDA C++ Programming Guide, "Texture Fetching", defines which texels a coordinate selects, and
//! that weights have 8 bits of fraction. It leaves open how coordinates are rounded before that.
//! Measured on an H200 (driver 580.159.04, 2026-11-21), on axes of 5 to 10007 texels, bit for bit:
//! a normalised coordinate is truncated to 21 bits of fraction (or to more, if the 256ths of a
//! longer axis need them), and then multiplied. A position for filtering is rounded to 256ths of a
//! texel, halves up. A NaN counts as zero, and so does an infinity if coordinates wrap. A subnormal
//! number counts as zero.

use super::address::{AddressMode, texel};

/// Bits of fraction of a coordinate in texels. It is more than are used.
const PLAIN: u32 = 24;

/// Returns a position on an axis of `size` texels, and its bits of fraction.
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
    // Every step is exact, because these are powers of two and remainders of whole numbers.
    let cut = match mode {
        AddressMode::Wrap => (x * scale).floor().rem_euclid(scale),
        AddressMode::Mirror => (x * scale).floor().rem_euclid(2.0 * scale),
        // Positions further outside have the same result.
        AddressMode::Clamp | AddressMode::Border => (x.clamp(-65536.0, 65536.0) * scale).floor(),
    };
    ((cut as i64).saturating_mul(size.into()), bits)
}

/// Returns the texel of a point-sampled fetch at `x` plus an offset in texels; `None`
/// is the border.
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
    /// The texel at the coordinate and the next one; `None` is the border.
    pub(crate) texels: [Option<u32>; 2],
    /// The weight of the second, in 256ths: below 256.
    pub(crate) weight: u32,
}

impl Tap {
    /// The only texel of an axis that the texture does not have.
    pub(crate) const ONLY: Tap = Tap {
        texels: [Some(0); 2],
        weight: 0,
    };
}

/// Returns the texels and the weight of a linear fetch at `x` plus an offset in texels.
#[inline]
pub(crate) fn linear(x: f32, offset: i64, size: u32, normalized: bool, mode: AddressMode) -> Tap {
    let mut centred = centred(x, size, normalized, mode).saturating_add(offset * 256);
    let mode = mode.for_coordinates(normalized);
    if mode == AddressMode::Clamp {
        // Beyond the middle of the last texel, that texel has all of the weight.
        centred = centred.clamp(0, (i64::from(size) - 1).max(0) * 256);
    }
    let first = centred >> 8;
    Tap {
        texels: [texel(first, size, mode), texel(first + 1, size, mode)],
        weight: (centred & 255) as u32,
    }
}

/// Returns the two texels around `x` plus an offset, for a gather. Beyond the last texel, both are
/// the last one.
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

/// Returns a position in 256ths of a texel, from the middle of the first.
#[inline]
fn centred(x: f32, size: u32, normalized: bool, mode: AddressMode) -> i64 {
    let (position, bits) = position(x, size, normalized, mode);
    (position.saturating_add(1 << (bits - 9)) >> (bits - 8)) - 128
}
