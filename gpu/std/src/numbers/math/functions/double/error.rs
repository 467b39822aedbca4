//! The error function and its relatives.

use super::exponential::{exp_of_sum, moderate_exp};
use super::machine::{fma, mul, reciprocal};

/// Returns `erfc(a) e^(a^2)` of a positive `a` up to 28.
///
/// Times `1 + 2 a` it is nearly constant, so it is a polynomial of `(a - 4) / (a + 4)`.
/// M. Shepherd, J. Laframboise, "Chebyshev Approximation of (1 + 2x) exp(x^2) erfc x", 1981.
#[inline(always)]
fn scaled(a: f64) -> f64 {
    let r = reciprocal(a + 4.0);
    let q = (a - 4.0) * r;
    // What is left of (a - 4) - q (a + 4), for the rounding of both and of the reciprocal.
    let rest = fma(-q, a, fma(-4.0, q + 1.0, a));
    let t = fma(r, rest, q);
    let p = horner!(
        t,
        -8.441_855_513_071_564e-9,
        -8.220_409_056_902_939e-9,
        1.015_202_418_718_145_6e-7,
        5.561_015_969_172_376e-8,
        -8.199_766_126_912_001e-7,
        3.134_556_897_157_282e-7,
        5.708_998_215_261_893e-6,
        -0.000_011_234_158_916_581_064,
        -0.000_024_400_231_766_598_46,
        0.000_150_626_389_184_962_93,
        -0.000_199_256_025_705_843_8,
        -0.000_757_774_453_747_611_1,
        0.005_031_969_789_227_418_5,
        -0.016_197_733_878_564_786,
        0.037_167_515_565_464_083,
        -0.066_330_365_828_367_02,
        0.093_732_834_996_228_31,
        -0.101_039_066_035_551_7,
        0.068_097_054_254_762_91,
        0.015_379_652_102_605_905,
        -0.139_621_116_840_563_16,
        1.232_995_118_625_552_6
    );
    let r = reciprocal(fma(2.0, a, 1.0));
    let q = p * r;
    let rest = fma(-2.0 * q, a, p - q);
    fma(rest, r, q)
}

/// Returns `erfc(a)`, where `a^2` is the sum of two numbers.
#[inline(always)]
pub(super) fn scaled_tail(a: f64, square: f64, low: f64) -> f64 {
    exp_of_sum(-square, -low) * scaled(a)
}

/// Returns one minus the error function.
#[inline(always)]
pub(crate) fn erfc(x: f64) -> f64 {
    let a = x.abs();
    let square = mul(a, a);
    let low = fma(a, a, -square);
    let tail = scaled_tail(a, square, low);
    // From here on it is zero. A NaN goes on.
    let tail = if a > 27.3 { 0.0 } else { tail };
    if x < 0.0 { 2.0 - tail } else { tail }
}

/// Returns `e^(x^2)` times one minus the error function.
#[inline(always)]
pub(crate) fn erfcx(x: f64) -> f64 {
    let a = x.abs();
    // 1 / (sqrt(pi) a) times a series of 1 / (2 a^2). The factor keeps the reciprocal normal.
    const FACTOR: f64 = 1.0 / 1024.0;
    let large = {
        let a = if a > 1e308 { 1e308 } else { a };
        let r = reciprocal(FACTOR * a);
        let t = FACTOR * r;
        let u = -0.5 * t * t;
        let series = horner!(u, 10_395.0, 945.0, 105.0, 15.0, 3.0, 1.0, 1.0);
        core::f64::consts::FRAC_2_SQRT_PI * 0.5 * series * r * FACTOR
    };
    let positive = if a > 28.0 { large } else { scaled(a) };
    let square = mul(a, a);
    let low = fma(a, a, -square);
    let negative = 2.0 * exp_of_sum(square, low) - positive;
    // A zero of an infinite argument, and the limits of the power.
    if x < -26.7 {
        f64::INFINITY
    } else if x < 0.0 {
        negative
    } else if a == f64::INFINITY {
        0.0
    } else {
        positive
    }
}

/// Returns the error function: a series up to one, and `1 - erfc x` from there on.
#[inline(always)]
pub(crate) fn erf(x: f64) -> f64 {
    let a = x.abs();
    let square = mul(a, a);
    let small = horner!(
        square,
        -7.801_189_458_031_479e-10,
        1.372_297_528_225_908_7e-8,
        -1.620_917_533_520_046e-7,
        1.644_751_754_915_999_7e-6,
        -0.000_014_924_744_647_793_058,
        0.000_120_552_953_193_686_76,
        -0.000_854_832_598_964_640_5,
        0.005_223_977_607_422_095,
        -0.026_866_170_643_276_004,
        0.112_837_916_709_452_52,
        -0.376_126_389_031_835_5,
        0.128_379_167_095_512_56
    );
    let small = fma(small, a, a);
    // erfc(b) e^(b^2) as a polynomial of (b - 5/2) / (b + 5/2). From 5.95 on, erf is one.
    let b = if a > 5.95 { 5.95 } else { a };
    let t = (b - 2.5) * reciprocal(b + 2.5);
    let p = horner!(
        t,
        -1.606_494_016_162_482_8e-6,
        -2.245_668_435_925_018_3e-6,
        7.507_069_948_771_048e-6,
        0.000_018_602_835_047_806_458,
        -0.000_034_176_611_973_225_36,
        -0.000_128_875_931_284_159_2,
        0.000_228_379_981_411_458_9,
        0.000_875_915_381_779_970_7,
        -0.002_642_365_948_366_061,
        -0.003_993_701_163_986_606,
        0.039_922_539_075_254_51,
        -0.125_033_052_378_851_12,
        0.251_713_193_217_452_06,
        -0.371_736_733_948_973_3,
        0.210_806_364_061_143_6
    );
    let large = fma(-moderate_exp(-b * b), p, 1.0);
    if a >= 1.0 { large } else { small }.copysign(x)
}
