//! Powers of e, 2 and 10.
//!
//! `b^x` is `2^(n + r)` with a whole `n`, and an `r` from 0 to 1. `n` becomes the exponent of a
//! power of two. `r` is the difference of nearly equal numbers, so it is computed with the
//! logarithm of `b` in two parts.

use core::f32::consts;

use super::machine::{ex2, ex2_denormal, fma, fma_down, fma_saturating, rint};

/// 1.5 * 2^23. Adding it rounds to a whole number, which is then in the lowest bits.
const WHOLE: f32 = 12_582_912.0;

/// The logarithm of e to base 2, in two parts.
pub(super) const LOG2_E: [f32; 2] = [consts::LOG2_E, 1.925_963e-8];

/// Returns `r` and `2^n` for `2^(x * (high + low))`.
///
/// `n` stays where `2^n` is a normal number. The rest goes to `r`, so that infinite and denormal
/// results come out of `ex2` and of the last product.
#[inline(always)]
pub(super) fn split(x: f32, [high, low]: [f32; 2]) -> (f32, f32) {
    // `n` has so many steps from -126, and the machine keeps its part of them between 0 and 1.
    const STEPS: f32 = 252.0;
    // With the bias added too, the lowest bits are the exponent's field.
    const BIASED: f32 = WHOLE + 127.0;
    let part = fma_saturating(x, high * (1.0 / STEPS), 0.5);
    let n = fma_down(part, STEPS, BIASED - 126.0);
    let r = fma(x, low, fma(x, high, BIASED - n));
    (r, f32::from_bits(n.to_bits() << 23))
}

/// Returns `2^(x * factor)`, with a factor in two parts.
#[inline(always)]
pub(super) fn power_of_two(x: f32, factor: [f32; 2]) -> f32 {
    let (r, scale) = split(x, factor);
    ex2(r) * scale
}

/// Returns `factor * 2^(high + low)`, with a smaller error than that of `ex2`. A denormal result is
/// rounded once.
#[inline(always)]
pub(super) fn power_of_sum(high: f32, low: f32, factor: f32) -> f32 {
    let (r, scale) = split(high, [1.0, 0.0]);
    // Zero or one, but for infinite and denormal results. `ex2` of a whole number is exact.
    let whole = rint(r);
    let r = (r - whole) + low;
    let p = horner!(
        r,
        0.000_133_297_48,
        0.001_338_984_5,
        0.009_625_74,
        0.055_503_633,
        0.240_225_9,
        consts::LN_2
    );
    fma(p * r, factor, factor) * ex2(whole) * scale
}

/// Returns e to the power of `x`.
#[inline(always)]
pub(crate) fn expf(x: f32) -> f32 {
    power_of_two(x, LOG2_E)
}

/// Returns 2 to the power of `x`.
#[inline(always)]
pub(crate) fn exp2f(x: f32) -> f32 {
    ex2_denormal(x)
}

/// Returns 10 to the power of `x`.
#[inline(always)]
pub(crate) fn exp10f(x: f32) -> f32 {
    power_of_two(x, [consts::LOG2_10, 7.059_537e-8])
}

/// Returns e to the power of `x`, minus one.
#[inline(always)]
pub(crate) fn expm1f(x: f32) -> f32 {
    // Below, the result is -1.
    const LOWEST: f32 = -20.0;
    #[expect(clippy::manual_clamp, reason = "these are one instruction each")]
    let shifted = (x * LOG2_E[0]).max(-32.0).min(128.0) + (WHOLE + 126.0);
    let n = shifted - (WHOLE + 126.0);
    // ln 2 in two parts.
    let r = fma(n, 1.904_654_3e-9, fma(n, -consts::LN_2, x));
    let p = horner!(
        r,
        0.001_385_790_5,
        0.008_367_551,
        0.041_667_607,
        0.166_665_34,
        0.499_999_97
    );
    // Half of the power, because 2^128 is not a number. The sum is nearly exact around zero.
    let half = f32::from_bits(shifted.to_bits() << 23);
    let sum = fma(r, half, half - 0.5);
    let result = 2.0 * fma(p * r, r * half, sum);
    // The sign is the argument's, also of a zero.
    if x < LOWEST { -1.0 } else { result }.copysign(x)
}
