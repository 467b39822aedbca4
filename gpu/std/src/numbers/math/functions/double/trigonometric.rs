//! Sine, cosine and tangent of angles in radians.
//!
//! The angle is reduced to `r` between -pi/4 and pi/4, and the number of quarter turns. Sine and
//! cosine of `r` are polynomials.

use core::f64::consts;

use super::exponential::{WHOLE, shift};
use super::machine::{fma, mul, reciprocal, rint};

/// 2 / pi in words of 64 bits, after a word of zeros.
const TWO_OVER_PI: [u64; 20] = [
    0,
    0xa2f9_836e_4e44_1529,
    0xfc27_57d1_f534_ddc0,
    0xdb62_9599_3c43_9041,
    0xfe51_63ab_debb_c561,
    0xb724_6e3a_424d_d2e0,
    0x0649_2eea_09d1_921c,
    0xfe1d_eb1c_b129_a73e,
    0xe882_35f5_2ebb_4484,
    0xe99c_7026_b45f_7e41,
    0x3991_d639_8353_39f4,
    0x9c84_5f8b_bdf9_283b,
    0x1ff8_97ff_de05_980f,
    0xef2f_118b_5a0a_6d1f,
    0x6d36_7ecf_27cb_09b7,
    0x4f46_3f66_9e5f_ea2d,
    0x7527_bac7_ebe5_f17b,
    0x3d07_39f7_8a52_92ea,
    0x6bfb_5fb1_1f8d_5d08,
    0x5603_3046_fc7b_6bab,
];

/// pi / 2 in three parts of one sign, so that a zero keeps its own.
const FRAC_PI_2: [f64; 3] = [
    consts::FRAC_PI_2,
    6.123_233_995_736_765e-17,
    1.082_856_673_921_914e-32,
];

/// Returns the rest of the angle and the number of quarter turns, of which the lowest two bits
/// count.
#[inline(always)]
pub(super) fn reduce(x: f64) -> (f64, u32) {
    // 2^30. Below, the products with the parts of pi/2 are accurate enough.
    const LARGE: f64 = 1_073_741_824.0;
    let shifted = fma(x, consts::FRAC_2_PI, WHOLE);
    let n = shifted - WHOLE;
    let r = fma(n, -FRAC_PI_2[0], x);
    let r = fma(n, -FRAC_PI_2[1], r);
    let r = fma(n, -FRAC_PI_2[2], r);
    if x.abs() < LARGE {
        (r, shifted.to_bits() as u32)
    } else {
        reduce_large(x)
    }
}

/// Returns the same for an angle of any size. An infinity gives NaN.
///
/// `x` is `m 2^e` with a whole `m`. Bits of 2/pi that make whole turns of the product are left
/// out, and the 192 bits after them suffice. M. Payne, R. Hanek, "Radian Reduction for
/// Trigonometric Functions", 1983.
#[inline(always)]
fn reduce_large(x: f64) -> (f64, u32) {
    let bits = x.to_bits();
    let m = u128::from(bits & 0x000f_ffff_ffff_ffff | 0x0010_0000_0000_0000);
    // The place of the first bit that counts, whose product with m has the weight 2.
    let place = ((bits >> 52 & 0x7ff) as u32).wrapping_sub(1013);
    let (word, bit) = (((place >> 6) as usize).min(16), place & 63);
    let window = |i: usize| {
        let pair = u128::from(TWO_OVER_PI[word + i]) << 64 | u128::from(TWO_OVER_PI[word + i + 1]);
        (pair << bit) >> 64
    };
    let low = (m * window(2)) >> 64;
    let product = ((m * window(0)) << 64)
        .wrapping_add(m * window(1))
        .wrapping_add(low);
    // Two bits of quarter turns, and 126 of the rest, which is rounded to nearest.
    let turns = (product.wrapping_add(1 << 125) >> 126) as u32;
    let rest = (product << 2) as i128;
    // The first 64 digits of the rest, without its leading zeros.
    let magnitude = rest.unsigned_abs();
    let zeros = magnitude.leading_zeros();
    let digits = ((magnitude << (zeros & 127)) >> 64) as u64;
    // Their product with pi/2, rounded once.
    let high = digits as f64;
    let low = digits.wrapping_sub(high as u64) as i64 as f64;
    let product = mul(high, FRAC_PI_2[0]);
    let rest_of_product = fma(high, FRAC_PI_2[0], -product);
    let rest_of_product = fma(high, FRAC_PI_2[1], fma(low, FRAC_PI_2[0], rest_of_product));
    // The rest was taken times 2^128.
    let r = (product + rest_of_product) * shift(1.0, -64 - zeros as i32);
    let is_negative = (rest < 0) != (x < 0.0);
    let r = if is_negative { -r } else { r };
    let turns = if x < 0.0 { turns.wrapping_neg() } else { turns };
    (if x.abs() < f64::INFINITY { r } else { f64::NAN }, turns)
}

/// Returns the sine of `r`.
#[inline(always)]
pub(super) fn small_sine(r: f64, square: f64) -> f64 {
    let p = horner!(
        square,
        1.589_650_759_622_483_5e-10,
        -2.505_075_331_601_284_6e-8,
        2.755_731_366_242_668e-6,
        -0.000_198_412_698_297_263_95,
        0.008_333_333_333_322_316,
        -0.166_666_666_666_666_32
    );
    // The sum with zero makes the first factor a positive zero, and so the sine of -0 is -0.
    fma(fma(r, square, 0.0), p, r)
}

/// Returns the cosine of `r`.
#[inline(always)]
pub(super) fn small_cosine(square: f64) -> f64 {
    let p = horner!(
        square,
        -1.135_944_813_732_329_2e-11,
        2.087_571_954_867_93e-9,
        -2.755_731_432_596_113_5e-7,
        0.000_024_801_587_289_394_703,
        -0.001_388_888_888_887_399,
        0.041_666_666_666_666_6
    );
    fma(square * square, p, fma(square, -0.5, 1.0))
}

/// Returns the sine, or the cosine if `turns` is odd, negated by the second bit of `turns`.
#[inline(always)]
pub(super) fn after_turns(sine: f64, cosine: f64, turns: u32) -> f64 {
    let value = if turns & 1 != 0 { cosine } else { sine };
    f64::from_bits(value.to_bits() ^ u64::from(turns & 2) << 62)
}

/// Returns the sine.
#[inline(always)]
pub(crate) fn sin(x: f64) -> f64 {
    let (r, turns) = reduce(x);
    let square = r * r;
    after_turns(small_sine(r, square), small_cosine(square), turns)
}

/// Returns the cosine.
#[inline(always)]
pub(crate) fn cos(x: f64) -> f64 {
    let (r, turns) = reduce(x);
    let square = r * r;
    after_turns(
        small_sine(r, square),
        small_cosine(square),
        turns.wrapping_add(1),
    )
}

/// Computes the sine and the cosine.
#[inline(always)]
pub(crate) fn sincos(x: f64, sine: &mut f64, cosine: &mut f64) {
    let (r, turns) = reduce(x);
    let square = r * r;
    let (s, c) = (small_sine(r, square), small_cosine(square));
    *sine = after_turns(s, c, turns);
    *cosine = after_turns(s, c, turns.wrapping_add(1));
}

/// Returns the tangent.
#[inline(always)]
pub(crate) fn tan(x: f64) -> f64 {
    let (r, turns) = reduce(x);
    let square = r * r;
    let p = horner!(
        square,
        0.000_020_948_190_398_507_646,
        -0.000_045_228_737_556_461_44,
        0.000_090_102_905_402_548_06,
        -0.000_027_092_064_798_905_954,
        0.000_137_024_952_323_095_3,
        0.000_222_138_029_240_753_14,
        0.000_595_146_530_010_523_7,
        0.001_454_738_575_533_288_3,
        0.003_592_292_263_751_396_6,
        0.008_863_218_811_956_097,
        0.021_869_489_633_959_92,
        0.053_968_253_925_628_706,
        0.133_333_333_334_167_94,
        0.333_333_333_333_327_6
    );
    let rest = p * square * r;
    let tangent = r + rest;
    if turns & 1 == 0 {
        return tangent;
    }
    // -1 / tangent, corrected for the roundings of the reciprocal and of the tangent.
    let low = rest - (tangent - r);
    let q = reciprocal(tangent);
    let error = fma(q, low, fma(q, tangent, -1.0));
    -fma(-q, error, q)
}

/// Returns `x` without whole half turns, from -1/4 to 1/4, and the number of half turns, for an
/// angle in units of pi.
#[inline(always)]
fn reduce_halves(x: f64) -> (f64, u32) {
    // From -1 to 1, exactly. An infinity gives NaN.
    let turn = fma(-2.0, rint(0.5 * x), x);
    let shifted = fma(turn, 2.0, WHOLE);
    (fma(shifted - WHOLE, -0.5, turn), shifted.to_bits() as u32)
}

/// Returns sine and cosine of `pi r`.
#[inline(always)]
fn of_halves(r: f64) -> (f64, f64) {
    // pi r in two parts; the second one changes the sine only.
    let angle = r * consts::PI;
    let low = fma(r, 1.224_646_799_147_353_2e-16, fma(r, consts::PI, -angle));
    let square = angle * angle;
    (small_sine(angle, square) + low, small_cosine(square))
}

/// Returns the sine of `pi x`.
#[inline(always)]
pub(crate) fn sinpi(x: f64) -> f64 {
    let (r, halves) = reduce_halves(x);
    let (sine, cosine) = of_halves(r);
    let value = after_turns(sine, cosine, halves);
    // Zeros have the sign of the argument.
    if value == 0.0 {
        value.copysign(x)
    } else {
        value
    }
}

/// Returns the cosine of `pi x`.
#[inline(always)]
pub(crate) fn cospi(x: f64) -> f64 {
    let (r, halves) = reduce_halves(x);
    let (sine, cosine) = of_halves(r);
    // Zeros are positive.
    after_turns(sine, cosine, halves.wrapping_add(1)) + 0.0
}

/// Computes the sine and the cosine of `pi x`.
#[inline(always)]
pub(crate) fn sincospi(x: f64, sine: &mut f64, cosine: &mut f64) {
    let (r, halves) = reduce_halves(x);
    let (s, c) = of_halves(r);
    let value = after_turns(s, c, halves);
    *sine = if value == 0.0 {
        value.copysign(x)
    } else {
        value
    };
    *cosine = after_turns(s, c, halves.wrapping_add(1)) + 0.0;
}
