//! The gamma function and its logarithm.
//!
//! `gamma(y)` is `sqrt(2 pi) y^(y - 1/2) e^-y` times a number near one, which is a polynomial of
//! `1 / y`. Of a negative number it follows from the positive one's: `gamma(-a)` is
//! `-pi / (a sin(pi a) gamma(a))`.

use super::exponential::{LOG2_E, power_of_sum};
use super::logarithm::logf;
use super::machine::{fma, mul, rcp, trunc};
use super::power::log2;
use super::trigonometric::sinpif;

const PI: f32 = core::f32::consts::PI;

/// Returns the logarithm of `y^(y - 1/2) e^-y` to base 2 as the sum of two numbers, for a `y` from
/// 1 to 64, and adds what `y` lacks to be exact.
#[inline(always)]
fn log2_of_power(y: f32, y_low: f32, reciprocal: f32) -> (f32, f32) {
    let (high, low) = log2(y);
    let factor = y - 0.5;
    let power = mul(factor, high);
    let power_low = fma(factor, low, fma(factor, high, -power));
    let decay = mul(y, LOG2_E[0]);
    let decay_low = fma(y, LOG2_E[1], fma(y, LOG2_E[0], -decay));
    let sum = power - decay;
    let part = sum - power;
    let rounding = (power - (sum - part)) - (decay + part);
    // The derivative of the logarithm is nearly log y - 1 / (2 y).
    let slope = fma(reciprocal, -0.5 * LOG2_E[0], high);
    (sum, fma(y_low, slope, rounding + (power_low - decay_low)))
}

/// Returns the gamma function.
#[inline(always)]
pub(crate) fn tgammaf(x: f32) -> f32 {
    let a = x.abs();
    // Beyond 64 results are infinite or zero. A NaN goes on.
    let a = if a > 64.0 { 64.0 } else { a };
    let is_small = a < 1.0;
    let y = if is_small { a + 1.0 } else { a };
    let y_low = if is_small { a - (y - 1.0) } else { 0.0 };
    let t = rcp(y);
    let p = horner!(
        t,
        0.000_118_036_89,
        -0.000_573_390_63,
        0.001_043_532_6,
        -0.000_276_560_02,
        -0.002_680_235_3,
        0.003_472_884_7,
        0.083_333_28,
        1.0
    );
    let (high, low) = log2_of_power(y, y_low, t);
    // gamma(y) is gamma(a), or gamma(a + 1) = a gamma(a).
    const ROOT_OF_2_PI: f32 = 2.506_628_3;
    let is_negative = x < 0.0;
    let (factor, divisor, high, low) = if is_negative {
        let rest = p * sinpif(x);
        let rest = if is_small { rest } else { rest * a };
        (PI / ROOT_OF_2_PI, rest, -high, -low)
    } else {
        let divisor = if is_small { a } else { 1.0 };
        (p * ROOT_OF_2_PI, divisor, high, low)
    };
    // The quotient, with what the rounding of both leaves out.
    let r = rcp(divisor);
    let quotient = factor * r;
    let factor = fma(fma(-quotient, divisor, factor), r, quotient);
    let result = power_of_sum(high, low, factor);
    if a < 3.0e-8 {
        // The factor 4 makes denormals normal numbers.
        4.0 * rcp(4.0 * x)
    } else if is_negative && trunc(x) == x {
        f32::NAN
    } else {
        result
    }
}

/// Returns the logarithm of the gamma function of a number that is not negative.
#[inline(always)]
fn of_positive(a: f32, log: f32) -> f32 {
    // The logarithm is a polynomial around 1 and around 2, where it is zero. Below 0.7 it is that
    // of gamma(1 + a) / a.
    let is_small = a < 0.7;
    let is_around_one = a < 0.5 || !is_small && a < 1.5;
    let z = if a < 0.5 {
        a
    } else if a < 1.5 {
        a - 1.0
    } else {
        a - 2.0
    };
    let p = if is_around_one {
        horner!(
            z,
            -0.068_573_125,
            0.131_585_42,
            -0.128_738_97,
            0.123_168_02,
            -0.141_581_16,
            0.169_522_72,
            -0.207_512_29,
            0.270_586_5,
            -0.400_683_43,
            0.822_466_97,
            -0.577_215_7
        )
    } else {
        horner!(
            z,
            -0.000_078_307_705,
            0.000_226_136_98,
            -0.000_286_403_26,
            0.000_446_163_06,
            -0.001_146_397_2,
            0.002_901_476_3,
            -0.007_395_224,
            0.020_579_997,
            -0.067_351_654,
            0.322_467_06,
            0.422_784_33
        )
    };
    let near = if is_small { fma(p, z, -log) } else { p * z };
    let t = rcp(a);
    let tail = horner!(t, -0.002_483_444, -0.000_097_424_95, 0.083_342_16);
    // Half of log(2 pi), less one half.
    let far = fma(a - 0.5, log - 1.0, fma(t, tail, 0.418_938_53));
    if a >= 3.0 { far } else { near }
}

/// Returns the logarithm of the absolute value of the gamma function.
#[inline(always)]
pub(crate) fn lgammaf(x: f32) -> f32 {
    let a = x.abs();
    let log = logf(a);
    let positive = of_positive(a, log);
    // log(pi / (a sin(pi a))), less the logarithm of a's.
    const LOG_PI: f32 = 1.144_729_9;
    let sine = sinpif(a).abs();
    let negative = LOG_PI - logf(a * sine) - positive;
    if x >= 0.0 || x.is_nan() {
        positive
    } else if a < 1.0e-8 {
        -log
    } else if sine > 0.0 {
        negative
    } else {
        f32::INFINITY
    }
}
