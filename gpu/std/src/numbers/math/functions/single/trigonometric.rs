//! Sine, cosine and tangent of angles in radians.
//!
//! The angle is reduced to `r` between -pi/4 and pi/4, and the number of quarter turns. Sine and
//! cosine of `r` are polynomials. Which of the two is needed, and with which sign, is selected
//! without branches.

use super::machine::{fma, rcp, rint};

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
pub(super) fn reduce(x: f32) -> (f32, u32) {
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
pub(super) fn sine_after_turns(r: f32, turns: u32) -> f32 {
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

/// Returns `x` without whole half turns, from -1/4 to 1/4, and the number of half turns, for an
/// angle in units of pi.
#[inline(always)]
fn reduce_halves(x: f32) -> (f32, u32) {
    const WHOLE: f32 = 12_582_912.0;
    // From -1 to 1, exactly. An infinity gives NaN.
    let turn = fma(-2.0, rint(0.5 * x), x);
    let shifted = fma(turn, 2.0, WHOLE);
    (fma(shifted - WHOLE, -0.5, turn), shifted.to_bits())
}

/// Returns the sine of `pi r`, or its cosine if `halves` is odd, negated by its second bit.
#[inline(always)]
fn sine_after_halves(r: f32, halves: u32) -> f32 {
    let square = r * r;
    let sine = horner!(square, -0.589_282_63, 2.549_794_4, -5.167_709);
    // pi in two parts.
    let low = fma(sine * square, r, r * -8.742_278e-8);
    let sine = fma(r, core::f32::consts::PI, low);
    let cosine = horner!(
        square,
        0.228_979_22,
        -1.334_758_2,
        4.058_696_7,
        -4.934_802,
        1.0
    );
    let value = if halves & 1 != 0 { cosine } else { sine };
    f32::from_bits(value.to_bits() ^ (halves & 2) << 30)
}

/// Returns the sine of `pi x`.
#[inline(always)]
pub(crate) fn sinpif(x: f32) -> f32 {
    let (r, halves) = reduce_halves(x);
    let value = sine_after_halves(r, halves);
    // Zeros have the sign of the argument.
    if value == 0.0 {
        value.copysign(x)
    } else {
        value
    }
}

/// Returns the cosine of `pi x`.
#[inline(always)]
pub(crate) fn cospif(x: f32) -> f32 {
    let (r, halves) = reduce_halves(x);
    // Zeros are positive.
    sine_after_halves(r, halves.wrapping_add(1)) + 0.0
}

/// Computes the sine and the cosine of `pi x`.
#[inline(always)]
pub(crate) fn sincospif(x: f32, sine: &mut f32, cosine: &mut f32) {
    let (r, halves) = reduce_halves(x);
    let value = sine_after_halves(r, halves);
    *sine = if value == 0.0 {
        value.copysign(x)
    } else {
        value
    };
    *cosine = sine_after_halves(r, halves.wrapping_add(1)) + 0.0;
}
