//! The error function and its relatives.

use super::exponential::exp_of_sum;
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

/// Returns one minus the error function.
#[inline(always)]
pub(crate) fn erfc(x: f64) -> f64 {
    let a = x.abs();
    let square = mul(a, a);
    let low = fma(a, a, -square);
    let power = exp_of_sum(-square, -low);
    // From here on it is zero. A NaN goes on.
    let tail = if a > 27.3 { 0.0 } else { power * scaled(a) };
    if x < 0.0 { 2.0 - tail } else { tail }
}
