//! Powers with any exponent.

use super::exponential::{LN_2, exp_of_sum};
use super::logarithm::{quotient, significand};
use super::machine::{fma, mul, trunc};

/// Returns the natural logarithm of a positive finite `x`, as the sum of two numbers with 2^-65 of
/// it for an error.
#[inline(always)]
pub(super) fn log(x: f64) -> (f64, f64) {
    let is_denormal = x < f64::MIN_POSITIVE;
    let normal = if is_denormal {
        x * 1.801_439_850_948_198_4e16
    } else {
        x
    };
    let (m, k) = significand(normal);
    let k = f64::from(if is_denormal { k - 54 } else { k });
    let (s, s_low) = quotient(m - 1.0);
    // z = s^2 and cube = s^3 as sums of two numbers.
    let z = mul(s, s);
    let z_low = fma(s + s, s_low, fma(s, s, -z));
    let cube = mul(z, s);
    let cube_low = fma(z_low, s, fma(z, s_low, fma(z, s, -cube)));
    // The series is 1/12 + z p, and 1/12 is the sum of two numbers too.
    let p = horner!(
        z,
        2.295_475_283_715_311_7e-7,
        8.902_392_750_178_415e-7,
        4.070_030_723_721_984e-6,
        0.000_018_779_963_023_665_787,
        0.000_088_778_413_447_215_57,
        0.000_434_027_777_643_223_4,
        0.002_232_142_857_145_206,
        0.012_499_999_999_999_98
    );
    const TWELFTH: f64 = 1.0 / 12.0;
    let series = fma(z, p, TWELFTH);
    let series_low = fma(z, p, TWELFTH - series) + 4.625_929_269_271_485e-18;
    let term = mul(cube, series);
    let term_low = fma(
        cube,
        series_low,
        fma(cube_low, series, fma(cube, series, -term)),
    );
    let m_log = s + term;
    let m_low = (term - (m_log - s)) + (s_low + term_low);
    // k ln 2 + m_log, where the product is exact as a sum of two numbers.
    let product = mul(k, LN_2[0]);
    let product_low = fma(k, LN_2[1], fma(k, LN_2[0], -product));
    let sum = product + m_log;
    let low = (m_log - (sum - product)) + (product_low + m_low);
    let total = sum + low;
    (total, low - (total - sum))
}

/// Returns `x` to the power of `y`.
#[inline(always)]
pub(crate) fn pow(x: f64, y: f64) -> f64 {
    let (high, low) = log(x.abs());
    let product = mul(y, high);
    let power = exp_of_sum(product, fma(y, low, fma(y, high, -product)));
    let is_finite = |x: f64| ((x.to_bits() >> 32) as u32 & 0x7fff_ffff) < 0x7ff0_0000;
    if x > 0.0 && is_finite(x) && is_finite(y) {
        power
    } else {
        special(x, y, power)
    }
}

/// Returns the power where an operand is zero, infinite, negative or NaN. `ordinary` is the power
/// of the absolute value if both are finite and `x` is not zero.
#[inline(always)]
fn special(x: f64, y: f64, ordinary: f64) -> f64 {
    if x == 1.0 || y == 0.0 {
        return 1.0;
    }
    if x.is_nan() || y.is_nan() {
        return x + y;
    }
    let a = x.abs();
    let grows = (a > 1.0) == (y > 0.0);
    let extreme = match (a == 1.0, grows) {
        (true, _) => 1.0,
        (_, true) => f64::INFINITY,
        _ => 0.0,
    };
    let is_extreme = a == 0.0 || a == f64::INFINITY || y.abs() == f64::INFINITY;
    let magnitude = if is_extreme { extreme } else { ordinary };
    // Large numbers are even.
    let is_odd = fma(trunc(y * 0.5), -2.0, y).abs() == 1.0;
    if !is_extreme && trunc(y) != y {
        f64::NAN
    } else if is_odd {
        magnitude.copysign(x)
    } else {
        magnitude
    }
}
