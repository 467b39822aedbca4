//! Logarithms.
//!
//! `x` is `2^k (1 + u)`, and the logarithm of `1 + u` is a series of odd powers of
//! `s = 2 u / (2 + u)`.

use core::f64::consts;

use super::exponential::LN_2;
use super::machine::{fma, mul, rcp_approx};

/// The upper half of the root of a half, to which the significand is compared.
const ROOT_OF_HALF: u32 = 0x3fe6_a09e;

/// Splits a positive normal number into `1 + u`, between the root of a half and the root of 2, and
/// the exponent.
#[inline(always)]
pub(super) fn significand(x: f64) -> (f64, i32) {
    let bits = x.to_bits();
    let exponent = ((bits >> 32) as u32).wrapping_sub(ROOT_OF_HALF) & 0xfff0_0000;
    let significand = f64::from_bits(bits.wrapping_sub(u64::from(exponent) << 32));
    (significand, exponent as i32 >> 20)
}

/// Returns `s = 2 u / (2 + u)` as the sum of two numbers.
#[inline(always)]
pub(super) fn quotient(u: f64) -> (f64, f64) {
    let sum = 2.0 + u;
    let r = rcp_approx(sum);
    let e = fma(-sum, r, 1.0);
    let r = fma(fma(e, e, e), r, r);
    let s = mul(2.0 * u, r);
    // What is left of 2 u - s (u + 2), where u - s is exact.
    (s, mul(fma(-s, u, 2.0 * (u - s)), r))
}

/// Returns the natural logarithm of `1 + u` as the sum of two numbers.
#[inline(always)]
fn natural(u: f64) -> (f64, f64) {
    let (s, low) = quotient(u);
    let z = s * s;
    let p = horner!(
        z,
        4.515_567_165_401_698e-6,
        0.000_018_693_833_587_388_33,
        0.000_088_786_946_235_443_84,
        0.000_434_027_315_097_325_8,
        0.002_232_142_870_526_913_5,
        0.012_499_999_999_816_639,
        0.083_333_333_333_334_19
    );
    (s, fma(mul(s, z), p, low))
}

/// Returns `of(u, k)` of a positive finite `x`, and the special values of others.
#[inline(always)]
fn logarithm(x: f64, of: impl Fn(f64, f64) -> f64) -> f64 {
    let is_denormal = x < f64::MIN_POSITIVE;
    let normal = if is_denormal {
        x * 1.801_439_850_948_198_4e16
    } else {
        x
    };
    let (m, k) = significand(normal);
    let k = if is_denormal { k - 54 } else { k };
    let result = of(m - 1.0, f64::from(k));
    // The upper half of a positive finite number, and not of zero.
    let is_positive_finite = ((normal.to_bits() >> 32) as u32).wrapping_sub(1) < 0x7fef_ffff;
    if is_positive_finite {
        result
    } else {
        special(x)
    }
}

/// Returns the logarithm of zero, a negative number, an infinity or NaN.
#[inline(always)]
fn special(x: f64) -> f64 {
    if x == 0.0 {
        f64::NEG_INFINITY
    } else if x < 0.0 {
        f64::NAN
    } else {
        x
    }
}

/// Returns the natural logarithm of `2^k (1 + u)`.
#[inline(always)]
fn joined(u: f64, k: f64) -> f64 {
    let (high, low) = natural(u);
    let sum = fma(k, LN_2[0], high);
    let rest = high - fma(-k, LN_2[0], sum);
    sum + (rest + fma(k, LN_2[1], low))
}

/// Returns the natural logarithm.
#[inline(always)]
pub(crate) fn log(x: f64) -> f64 {
    logarithm(x, joined)
}

/// Returns the logarithm of `2^k (1 + u)` to a base, from `k` times the base's logarithm of 2, and
/// the base's logarithm of e.
#[inline(always)]
fn to_base(u: f64, k: [f64; 2], e: [f64; 2]) -> f64 {
    let (high, low) = natural(u);
    let product = mul(high, e[0]);
    let rest = fma(high, e[1], fma(low, e[0], fma(high, e[0], -product)));
    let sum = k[0] + product;
    sum + ((product - (sum - k[0])) + (rest + k[1]))
}

/// Returns the logarithm to base 2.
#[inline(always)]
pub(crate) fn log2(x: f64) -> f64 {
    logarithm(x, |u, k| {
        to_base(u, [k, 0.0], [consts::LOG2_E, 2.035_527_374_093_103_3e-17])
    })
}

/// Returns the logarithm to base 10.
#[inline(always)]
pub(crate) fn log10(x: f64) -> f64 {
    logarithm(x, |u, k| {
        let product = mul(k, consts::LOG10_2);
        let rest = fma(
            k,
            -2.803_728_127_785_170_4e-18,
            fma(k, consts::LOG10_2, -product),
        );
        to_base(
            u,
            [product, rest],
            [consts::LOG10_E, 1.098_319_650_216_765e-17],
        )
    })
}

/// Returns the logarithm of `1 + x`.
#[inline(always)]
pub(crate) fn log1p(x: f64) -> f64 {
    // 2^-k (1 + x) = 1 + u. The scale is 4 * 2^-k, because 2^-1024 is not a normal number.
    let sum = 1.0 + x;
    let (_, k) = significand(sum);
    let scale = f64::from_bits(((1025 - k) as u64) << 52);
    let u = fma(x * scale, 0.25, fma(scale, 0.25, -1.0));
    let result = joined(u, f64::from(k));
    let is_positive_finite = ((sum.to_bits() >> 32) as u32).wrapping_sub(1) < 0x7fef_ffff;
    // A zero keeps its sign.
    if is_positive_finite && x != 0.0 {
        result
    } else if x == 0.0 {
        x
    } else {
        special(sum)
    }
}
