//! Powers of e, 2 and 10.
//!
//! `b^x` is `2^n e^r` with a whole `n` and an `r` of at most half of `ln 2`. `e^r` is a polynomial,
//! and `n` is added to the exponent.

use core::f64::consts;

use super::machine::fma;

/// 1.5 * 2^52. Adding it rounds to a whole number, which is then in the lowest bits.
pub(super) const WHOLE: f64 = 6_755_399_441_055_744.0;

/// The natural logarithm of 2, in two parts.
pub(super) const LN_2: [f64; 2] = [consts::LN_2, 2.319_046_813_846_299_6e-17];

/// Returns `e^r` for a small `r`.
#[inline(always)]
fn of_rest(r: f64) -> f64 {
    horner!(
        r,
        2.511_817_870_108_055e-8,
        2.763_140_557_807_518e-7,
        2.755_721_530_877_797_3e-6,
        0.000_024_801_489_615_704_983,
        0.000_198_412_699_184_595_1,
        0.001_388_888_894_730_462_5,
        0.008_333_333_333_306_745,
        0.041_666_666_666_514_43,
        0.166_666_666_666_667,
        0.500_000_000_000_001_3,
        1.0,
        1.0
    )
}

/// Returns the upper half of a float, which decides most comparisons of magnitudes.
const fn upper(x: f64) -> u32 {
    (x.to_bits() >> 32) as u32
}

/// Returns `p 2^n` with `n` added to the exponent, if that stays a normal number's.
#[inline(always)]
pub(super) fn shift(p: f64, n: i32) -> f64 {
    let bits = p.to_bits();
    let upper = ((bits >> 32) as u32).wrapping_add((n << 20) as u32);
    f64::from_bits(u64::from(upper) << 32 | bits & 0xffff_ffff)
}

/// Returns `p 2^n`, where `shifted` is `n + WHOLE`. `x` is the argument: below the first limit in
/// magnitude the result is a normal number, and from the second on it is infinite or zero.
#[inline(always)]
fn scaled(p: f64, shifted: f64, x: f64, limits: [u32; 2]) -> f64 {
    let n = shifted.to_bits() as i32;
    // A NaN is beyond all limits.
    let magnitude = upper(x) & 0x7fff_ffff;
    if magnitude < limits[0] {
        shift(p, n)
    } else if magnitude < limits[1] {
        let half = n >> 1;
        shift(p, half) * shift(1.0, n - half)
    } else if x < 0.0 {
        0.0
    } else {
        x + f64::INFINITY
    }
}

/// The limits of an exponent's magnitude.
const OF_E: [u32; 2] = [upper(708.0), upper(746.0)];

/// Returns `e^(x + low)` with a `low` far smaller than `x`.
#[inline(always)]
pub(super) fn exp_of_sum(x: f64, low: f64) -> f64 {
    let shifted = fma(x, consts::LOG2_E, WHOLE);
    let n = shifted - WHOLE;
    let r = fma(n, -LN_2[1], fma(n, -LN_2[0], x)) + low;
    scaled(of_rest(r), shifted, x, OF_E)
}

/// Returns `e^x` for a magnitude of `x` below 708.
#[inline(always)]
pub(super) fn moderate_exp(x: f64) -> f64 {
    let shifted = fma(x, consts::LOG2_E, WHOLE);
    let n = shifted - WHOLE;
    let r = fma(n, -LN_2[1], fma(n, -LN_2[0], x));
    shift(of_rest(r), shifted.to_bits() as i32)
}

/// Returns `e^x / 2`, for a positive `x`.
#[inline(always)]
pub(super) fn half_exp(x: f64) -> f64 {
    let shifted = fma(x, consts::LOG2_E, WHOLE);
    let n = shifted - WHOLE;
    let r = fma(n, -LN_2[1], fma(n, -LN_2[0], x));
    scaled(of_rest(r), shifted - 1.0, x, OF_E)
}

/// Returns e to the power of `x`.
#[inline(always)]
pub(crate) fn exp(x: f64) -> f64 {
    let shifted = fma(x, consts::LOG2_E, WHOLE);
    let n = shifted - WHOLE;
    let r = fma(n, -LN_2[1], fma(n, -LN_2[0], x));
    scaled(of_rest(r), shifted, x, OF_E)
}

/// Returns 2 to the power of `x`.
#[inline(always)]
pub(crate) fn exp2(x: f64) -> f64 {
    let shifted = x + WHOLE;
    let rest = x - (shifted - WHOLE);
    let r = fma(rest, LN_2[0], rest * LN_2[1]);
    scaled(of_rest(r), shifted, x, [upper(1020.0), upper(1076.0)])
}

/// Returns 10 to the power of `x`.
#[inline(always)]
pub(crate) fn exp10(x: f64) -> f64 {
    let shifted = fma(x, consts::LOG2_10, WHOLE);
    let n = shifted - WHOLE;
    let rest = fma(n, 2.803_728_127_785_170_4e-18, fma(n, -consts::LOG10_2, x));
    let r = fma(rest, consts::LN_10, rest * -2.170_756_223_382_249_4e-16);
    scaled(of_rest(r), shifted, x, [upper(307.0), upper(324.0)])
}

/// Returns e to the power of `x`, minus one.
#[inline(always)]
pub(crate) fn expm1(x: f64) -> f64 {
    let shifted = fma(x, consts::LOG2_E, WHOLE);
    let n = shifted - WHOLE;
    let r = fma(n, -LN_2[1], fma(n, -LN_2[0], x));
    let p = horner!(
        r,
        2.087_532_238_573_431_3e-9,
        2.510_908_238_373_298_7e-8,
        2.755_740_293_134_704e-7,
        2.755_724_410_109_032_6e-6,
        0.000_024_801_587_171_902_92,
        0.000_198_412_698_862_113_7,
        0.001_388_888_888_896_283_2,
        0.008_333_333_333_321_606,
        0.041_666_666_666_666_505,
        0.166_666_666_666_666_77,
        0.5
    );
    // Half of the power, because 2^1024 is not a number. The sum is nearly exact around zero.
    let half = shift(0.5, shifted.to_bits() as i32);
    let sum = fma(r, half, half - 0.5);
    let result = 2.0 * fma(p * r, r * half, sum);
    let result = if x < -40.0 { -1.0 } else { result };
    // The sign is the argument's, also of a zero.
    if x > 709.79 { f64::INFINITY } else { result }.copysign(x)
}
