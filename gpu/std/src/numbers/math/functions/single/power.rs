//! Powers with any exponent.

use super::exponential::{LOG2_E, power_of_two};
use super::machine::{fma, mul, rcp, trunc};

/// Returns the logarithm to base 2 of a positive finite `x`, as the sum of two numbers.
///
/// `x` is `2^k m`, and `log m` is a series of odd powers of `s = 2 (m - 1) / (m + 1)`.
#[inline(always)]
pub(super) fn log2(x: f32) -> (f32, f32) {
    const ROOT_OF_HALF: u32 = 0x3f35_04f3;
    let is_denormal = x < f32::MIN_POSITIVE;
    let bits = if is_denormal { x * 16_777_216.0 } else { x }.to_bits();
    let lifted = if is_denormal { -24.0 } else { 0.0 };
    let exponent = bits.wrapping_sub(ROOT_OF_HALF) & 0xff80_0000;
    let u = f32::from_bits(bits.wrapping_sub(exponent)) - 1.0;
    let k = fma(exponent as i32 as f32, 1.0 / 8_388_608.0, lifted);
    let r = rcp(u + 2.0);
    let s = mul(2.0 * u, r);
    // What is left of 2 u - s (u + 2), where u - s is exact.
    let s_low = mul(fma(-s, u, 2.0 * (u - s)), r);
    let square = fma(2.0 * s, s_low, s * s);
    let p = horner!(
        square,
        0.000_677_223_7,
        0.003_213_451_2,
        0.018_034_058,
        0.120_224_58
    );
    let high = mul(s, LOG2_E[0]);
    let low = fma(s, LOG2_E[0], -high);
    let low = fma(s, LOG2_E[1], fma(s_low, LOG2_E[0], low));
    let cubic = p * square;
    let low = fma(cubic, s, fma(cubic, s_low, low));
    let sum = k + high;
    let low = (high - (sum - k)) + low;
    let total = sum + low;
    (total, low - (total - sum))
}

/// Returns `x` to the power of `y`.
#[inline(always)]
pub(crate) fn powf(x: f32, y: f32) -> f32 {
    let (high, low) = log2(x.abs());
    let power = power_of_two(y, [high, low]);
    let is_ordinary = x.to_bits().wrapping_sub(1) < 0x7f7f_ffff && y.abs() < f32::INFINITY;
    if is_ordinary {
        power
    } else {
        special(x, y, power)
    }
}

/// Returns the power where an operand is zero, infinite, negative or NaN. `ordinary` is the power
/// of the absolute value if both are finite and `x` is not zero.
#[inline(always)]
fn special(x: f32, y: f32, ordinary: f32) -> f32 {
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
        (_, true) => f32::INFINITY,
        _ => 0.0,
    };
    let is_extreme = a == 0.0 || a == f32::INFINITY || y.abs() == f32::INFINITY;
    let magnitude = if is_extreme { extreme } else { ordinary };
    // Large numbers are even.
    let is_odd = fma(trunc(y * 0.5), -2.0, y).abs() == 1.0;
    if !is_extreme && trunc(y) != y {
        f32::NAN
    } else if is_odd {
        magnitude.copysign(x)
    } else {
        magnitude
    }
}
