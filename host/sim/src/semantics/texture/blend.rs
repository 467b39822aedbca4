//! Blends texels in the precision of their format. The weights add up to 256.
//!
//! The arithmetic is not documented. It was measured on an H200 (driver 580.159.04, 2026-11-21).
//! Floats are aligned to the exponent of the largest one whose weight is not zero, with 27 bits of
//! fraction below its leading one (14 for `f16`). Lower bits are cut off. The sum is exact, and is
//! rounded to the format, ties away from zero. Integers that are read as floats are blended with 16
//! bits and rounded, halves up. For signed bytes the exact method is not known: this one is right
//! for 96 of 100 blends and off by 1/32767 for the others.

use super::format;

/// The NaN that all arithmetic returns.
const NAN: f32 = f32::from_bits(0x7fff_ffff);

/// The precision of a float format.
#[derive(Clone, Copy)]
struct Floats {
    /// The number of bits below the leading one of the largest number that take part in a sum.
    aligned: i32,
    /// Bits of a significand.
    significand: u32,
    /// The exponent of the smallest step between numbers.
    least: i32,
}

const SINGLE: Floats = Floats {
    aligned: 27,
    significand: 24,
    least: -149,
};
const HALF: Floats = Floats {
    aligned: 14,
    significand: 11,
    least: -24,
};

/// Blends `f32` texels.
pub(crate) fn singles(texels: &[f32], weights: &[u32]) -> f32 {
    let blended = floats(texels, weights, SINGLE);
    // A subnormal result is zero.
    if blended.abs() < f32::MIN_POSITIVE {
        0.0
    } else {
        blended
    }
}

/// Blends `f16` texels, which were converted to f32 before.
pub(crate) fn halves(texels: &[f32], weights: &[u32]) -> f32 {
    floats(texels, weights, HALF)
}

fn floats(texels: &[f32], weights: &[u32], format: Floats) -> f32 {
    let live = || {
        texels
            .iter()
            .zip(weights)
            .filter(|(_, weight)| **weight > 0)
    };
    if live().any(|(texel, _)| !texel.is_finite()) {
        return live()
            .map(|(texel, _)| *texel)
            .filter(|texel| !texel.is_finite())
            .fold(None, |sum, texel| match sum {
                None if !texel.is_nan() => Some(texel),
                Some(same) if same == texel => sum,
                _ => Some(NAN),
            })
            .unwrap_or(NAN);
    }
    let exponent = |texel: f32| ((texel.to_bits() >> 23) & 0xff) as i32 - 127;
    let Some(largest) = live()
        .filter(|(texel, _)| texel.abs() >= f32::MIN_POSITIVE)
        .map(|(texel, _)| exponent(*texel))
        .max()
    else {
        return 0.0;
    };
    let step = largest - format.aligned;
    let sum: i64 = live()
        .filter(|(texel, _)| texel.abs() >= f32::MIN_POSITIVE)
        .map(|(&texel, &weight)| {
            let significand = i64::from(texel.to_bits() & 0x7f_ffff | 0x80_0000);
            let up = exponent(texel) - 23 - step;
            let aligned = if up >= 0 {
                significand << up
            } else {
                significand >> (-up).min(63)
            };
            let signed = if texel < 0.0 { -aligned } else { aligned };
            signed * i64::from(weight)
        })
        .sum();
    // The sum is in steps of `scale`. As many bits are kept as the format has.
    let scale = step - 8;
    let magnitude = sum.unsigned_abs();
    let length = 64 - magnitude.leading_zeros();
    let drop = (length as i32 - format.significand as i32)
        .max(format.least - scale)
        .max(0) as u32;
    let kept = match drop {
        0 => magnitude,
        1..=62 => (magnitude + (1 << (drop - 1))) >> drop,
        _ => 0,
    };
    let value = (kept as f64 * f64::exp2(f64::from(scale + drop as i32))) as f32;
    if sum < 0 { -value } else { value }
}

/// Blends 8-bit unsigned texels that are read as floats.
pub(crate) fn unorm8(texels: &[u32], weights: &[u32]) -> f32 {
    let sum: u32 = texels
        .iter()
        .zip(weights)
        .map(|(texel, weight)| texel * 257 * weight)
        .sum();
    format::unorm16(((sum + 128) >> 8).min(0xffff) as u16)
}

/// Blends 16-bit unsigned texels that are read as floats.
pub(crate) fn unorm16(texels: &[u32], weights: &[u32]) -> f32 {
    let sum: u32 = texels
        .iter()
        .zip(weights)
        .map(|(texel, weight)| texel * weight)
        .sum();
    format::unorm16(((sum + 128) >> 8).min(0xffff) as u16)
}

/// Blends 8-bit signed texels that are read as floats.
pub(crate) fn snorm8(texels: &[i32], weights: &[u32]) -> f32 {
    let sum = signed(texels, weights) * 32767;
    let unit = 127 * 256;
    format::snorm16((2 * sum + unit).div_euclid(2 * unit).clamp(-32767, 32767) as i16)
}

/// Blends 16-bit signed texels that are read as floats.
pub(crate) fn snorm16(texels: &[i32], weights: &[u32]) -> f32 {
    format::snorm16(((signed(texels, weights) + 128) >> 8).clamp(-32767, 32767) as i16)
}

fn signed(texels: &[i32], weights: &[u32]) -> i64 {
    let products = texels.iter().zip(weights);
    products
        .map(|(&texel, &weight)| i64::from(texel) * i64::from(weight))
        .sum()
}
