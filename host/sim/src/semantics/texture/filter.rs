//! Point and linear filtering.
//!
//! CUDA C++ Programming Guide, "Nearest-Point Sampling" and "Linear Filtering". A linear fetch at x blends the two texels whose
//! centres are around it; the weight is a 9-bit fixed-point number with 8 bits of fraction, so that it can be 1.
//!
//! Open there: how the weight is rounded, here to nearest; the precision of the blend, here f32 with exact weights.

use super::address::{AddressMode, texel};
use crate::semantics::float::canonical_f32;

/// A coordinate in texels.
#[inline]
fn scale(x: f32, size: u32, normalized: bool) -> f32 {
    if normalized { x * size as f32 } else { x }
}

/// The texel of a point-sampled fetch at `x`. A NaN counts as zero.
#[inline]
pub fn point(x: f32, size: u32, normalized: bool, mode: AddressMode) -> Option<u32> {
    texel(
        scale(x, size, normalized).floor() as i64,
        size,
        mode.for_coordinates(normalized),
    )
}

/// The two texels of a linear fetch along one axis, and the weight of the second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tap {
    /// The texels at and after the coordinate's; `None` is the border.
    pub texels: [Option<u32>; 2],
    /// The weight of the second: a multiple of 1/256 from 0 to 1.
    pub weight: f32,
}

/// The texels and the weight of a linear fetch at `x`. A NaN counts as zero.
#[inline]
pub fn linear(x: f32, size: u32, normalized: bool, mode: AddressMode) -> Tap {
    let mode = mode.for_coordinates(normalized);
    let centred = scale(x, size, normalized) - 0.5;
    let first = centred.floor();
    let fraction = ((centred - first) * 256.0).round_ties_even() / 256.0;
    let weight = if fraction.is_finite() { fraction } else { 0.0 };
    let first = first as i64;
    Tap {
        texels: [
            texel(first, size, mode),
            texel(first.saturating_add(1), size, mode),
        ],
        weight,
    }
}

/// Two texels blended along one axis.
#[inline]
pub fn blend_1d([t0, t1]: [f32; 2], a: f32) -> f32 {
    canonical_f32((1.0 - a) * t0 + a * t1)
}

/// Four texels, rows of [`blend_1d`]'s, blended along two axes by the products of their weights.
#[inline]
pub fn blend_2d([row0, row1]: [[f32; 2]; 2], a: f32, b: f32) -> f32 {
    let weight = |a: f32, b: f32| a * b; // 16 bits: exact
    canonical_f32(
        weight(1.0 - a, 1.0 - b) * row0[0]
            + weight(a, 1.0 - b) * row0[1]
            + weight(1.0 - a, b) * row1[0]
            + weight(a, b) * row1[1],
    )
}

/// Eight texels, planes of [`blend_2d`]'s, blended along three axes.
#[inline]
pub fn blend_3d([plane0, plane1]: [[[f32; 2]; 2]; 2], a: f32, b: f32, c: f32) -> f32 {
    canonical_f32((1.0 - c) * blend_2d(plane0, a, b) + c * blend_2d(plane1, a, b))
}

/// `tld4`: of the four texels of a linear fetch, one component in the instruction's order, from `rows` as in [`blend_2d`].
#[inline]
pub fn gather<T: Copy>([row0, row1]: [[T; 2]; 2]) -> [T; 4] {
    [row1[0], row1[1], row0[1], row0[0]]
}
