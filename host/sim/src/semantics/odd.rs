//! Rounding to odd: f32 results in every rounding, by f64 arithmetic whose last bit records whether
//! it was inexact.
//!
//! S. Boldo and G. Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using
//! rounding to odd", 2008. An inexact result is moved to its neighbour with an odd last bit. With
//! two spare bits or more, rounding that again has the same result as rounding the exact value
//! once. The error is computed by error-free transformations: Knuth's two-sum, and the remainder by
//! fma for quotient and root. Operands come from f32 (in `add_odd_f32`, from f16), so nothing here
//! overflows or underflows.

use std::hint::select_unpredictable as select;

use super::Rounding;

/// Defines rounding to odd and a sum at one width.
macro_rules! odd_sum {
    ($($t:ty: $to_odd:ident, $add:ident);+ $(;)?) => {$(
        /// Rounds `near` + `error` to odd, where `error` is less than the last digit. A NaN `error`
        /// counts as no error.
        #[inline(always)]
        fn $to_odd(near: $t, error: $t) -> $t {
            let bits = near.to_bits();
            let away = (error > 0.0) == (near > 0.0);
            let neighbour = select(away, bits.wrapping_add(1), bits.wrapping_sub(1));
            let odd = select(bits & 1 == 1, bits, neighbour);
            // The error is neither zero nor NaN.
            select((error < 0.0) | (error > 0.0), <$t>::from_bits(odd), near)
        }

        /// Returns a + b, rounded to odd.
        #[inline(always)]
        pub(crate) fn $add(a: $t, b: $t) -> $t {
            let sum = a + b;
            let b_part = sum - a;
            let error = (a - (sum - b_part)) + (b - b_part);
            $to_odd(sum, error)
        }
    )+};
}

odd_sum! {
    f64: to_odd, add_odd;
    f32: to_odd_f32, add_odd_f32;
}

/// Returns a / b, rounded to odd, for operands that come from f32.
#[inline(always)]
pub(crate) fn div_odd(a: f64, b: f64) -> f64 {
    let quotient = a / b;
    let remainder = (-quotient).mul_add(b, a);
    to_odd(quotient, if b < 0.0 { -remainder } else { remainder })
}

/// Returns the square root of `a`, rounded to odd, for an operand that comes from f32.
#[inline(always)]
pub(crate) fn sqrt_odd(a: f64) -> f64 {
    let root = a.sqrt();
    to_odd(root, (-root).mul_add(root, a))
}

/// Rounds `x` to f32 by `rounding`. `x` may have been rounded to odd. A NaN stays a NaN.
#[inline(always)]
pub(crate) fn round_f32(x: f64, rounding: Rounding) -> f32 {
    let near = x as f32;
    let bits = near.to_bits();
    let (outward, inward) = (
        f32::from_bits(bits.wrapping_add(1)),
        f32::from_bits(bits.wrapping_sub(1)),
    );
    let wide = f64::from(near);
    let negative = near.is_sign_negative();
    match rounding {
        Rounding::Nearest => near,
        Rounding::Zero if wide.abs() > x.abs() => inward,
        Rounding::Down if wide > x => [inward, outward][usize::from(negative)],
        Rounding::Up if wide < x => [outward, inward][usize::from(negative)],
        _ => near,
    }
}

/// Rounds `x` to odd in f32, for a further rounding to at most 22 bits. Larger values become
/// the largest number.
#[inline(always)]
pub(crate) fn odd_f32(x: f64) -> f32 {
    let chopped = round_f32(x, Rounding::Zero);
    let sticky = u32::from(f64::from(chopped) != x && !x.is_nan());
    f32::from_bits(chopped.to_bits() | sticky)
}
