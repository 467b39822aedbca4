//! Sine, cosine and tangent of angles in radians.
//!
//! The angle is reduced to `r` between -pi/4 and pi/4, and the number of quarter turns. Sine and
//! cosine of `r` are polynomials. Which of the two is needed, and with which sign, is selected
//! without branches.

use super::machine::{fma, rcp};

/// 2 / pi in words of 32 bits, after a word of zeros.
const TWO_OVER_PI: [u32; 12] = [
    0,
    0xa2f9_836e,
    0x4e44_1529,
    0xfc27_57d1,
    0xf534_ddc0,
    0xdb62_9599,
    0x3c43_9041,
    0xfe51_63ab,
    0xdebb_c561,
    0xb724_6e3a,
    0x424d_d2e0,
    0x0649_2eea,
];

/// Returns the rest of the angle and the number of quarter turns, of which the lowest two bits
/// count.
#[inline(always)]
fn reduce(x: f32) -> (f32, u32) {
    // 1.5 * 2^23. Adding it rounds to a whole number, which is then in the lowest bits.
    const WHOLE: f32 = 12_582_912.0;
    // Below this angle, the product with the first part of pi/2 is exact to its last place.
    const LARGE: f32 = 105_615.0;
    let shifted = fma(x, core::f32::consts::FRAC_2_PI, WHOLE);
    let n = shifted - WHOLE;
    // The first part of pi/2. It is rounded down, so that all parts have one sign and a zero keeps
    // its own.
    const FRAC_PI_2: f32 = f32::from_bits(0x3fc9_0fda);
    let r = fma(n, -FRAC_PI_2, x);
    let r = fma(n, -7.549_789_4e-8, r);
    let r = fma(n, -5.390_302_5e-15, r);
    if x.abs() < LARGE {
        (r, shifted.to_bits())
    } else {
        reduce_large(x)
    }
}

/// Returns the same for an angle of any size. An infinity gives NaN.
///
/// `x` is `m 2^e` with a whole `m`. Bits of 2/pi that make whole turns of the product are left
/// out, and the 96 bits after them suffice. M. Payne, R. Hanek, "Radian Reduction for
/// Trigonometric Functions", 1983.
#[inline(always)]
fn reduce_large(x: f32) -> (f32, u32) {
    let bits = x.to_bits();
    let m = u64::from(bits & 0x007f_ffff | 0x0080_0000);
    // The place of the first bit that counts, whose product with m has the weight 2.
    let place = (bits >> 23 & 0xff) - 120;
    let (word, shift) = ((place >> 5) as usize & 7, place & 31);
    let window = |i: usize| {
        let pair = u64::from(TWO_OVER_PI[word + i]) << 32 | u64::from(TWO_OVER_PI[word + i + 1]);
        pair << shift >> 32
    };
    let low = (m * window(2)) >> 32;
    let product = ((m * window(0)) << 32)
        .wrapping_add(m * window(1))
        .wrapping_add(low);
    // Two bits of quarter turns, and 62 of the rest, which is rounded to nearest.
    let turns = (product.wrapping_add(1 << 61) >> 62) as u32;
    let rest = (product << 2) as i64;
    const UNIT: f64 = core::f64::consts::FRAC_PI_2 / 18_446_744_073_709_551_616.0;
    let r = (rest as f64 * UNIT) as f32;
    let (r, turns) = if x < 0.0 {
        (-r, turns.wrapping_neg())
    } else {
        (r, turns)
    };
    (if x.abs() < f32::INFINITY { r } else { f32::NAN }, turns)
}

/// Returns the sine of `r`, or its cosine if `turns` is odd, negated by the second bit of `turns`.
#[inline(always)]
fn sine_after_turns(r: f32, turns: u32) -> f32 {
    let is_cosine = turns & 1 != 0;
    let square = r * r;
    let select = |cosine: f32, sine: f32| if is_cosine { cosine } else { sine };
    let base = select(1.0, r);
    let p = fma(
        select(0.000_024_432_336, 0.0),
        square,
        select(-0.001_388_731, -0.000_195_179_09),
    );
    let p = fma(p, square, select(0.041_666_646, 0.008_332_187));
    let p = fma(p, square, select(-0.5, -0.166_666_55));
    // The sum with zero makes the first factor a positive zero, and so the sine of -0 is -0.
    let value = fma(fma(base, square, 0.0), p, base);
    f32::from_bits(value.to_bits() ^ (turns & 2) << 30)
}

/// Returns the sine.
#[inline(always)]
pub(crate) fn sinf(x: f32) -> f32 {
    let (r, turns) = reduce(x);
    sine_after_turns(r, turns)
}

/// Returns the cosine.
#[inline(always)]
pub(crate) fn cosf(x: f32) -> f32 {
    let (r, turns) = reduce(x);
    sine_after_turns(r, turns.wrapping_add(1))
}

/// Computes the sine and the cosine.
#[inline(always)]
pub(crate) fn sincosf(x: f32, sine: &mut f32, cosine: &mut f32) {
    let (r, turns) = reduce(x);
    *sine = sine_after_turns(r, turns);
    *cosine = sine_after_turns(r, turns.wrapping_add(1));
}

/// Returns the tangent.
#[inline(always)]
pub(crate) fn tanf(x: f32) -> f32 {
    let (r, turns) = reduce(x);
    let square = r * r;
    let p = horner!(
        square,
        0.009_402_818,
        0.003_091_834_3,
        0.024_446_629,
        0.053_407_03,
        0.133_388_45,
        0.333_331_56
    );
    let tangent = fma(p * square, r, r); // p is positive, so a zero keeps its sign
    if turns & 1 != 0 {
        -rcp(tangent)
    } else {
        tangent
    }
}
