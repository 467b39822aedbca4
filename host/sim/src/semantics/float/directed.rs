//! `add`, `sub`, `mul`, `fma`, `mad`, `div`, `rcp`, `sqrt`, rounded towards zero (`.rz`), down
//! (`.rm`) and up (`.rp`).
//!
//! PTX ISA 9.7.3. The results are exact: f32 through f64 and [`odd`], f64 through [`Exact`].
//! NaN results are those of the nearest rounding, and so are results with infinities, which
//! no rounding changes.

use super::arithmetic::*;
use super::nan::{UP, canonical_f32, flush_tiny, ftz_f32, sat_f32};
use crate::semantics::Rounding::{self, Down, Up, Zero};
use crate::semantics::exact::{Exact, F64};
use crate::semantics::odd::{self, round_f32};

/// Returns a + b in f32. An exact zero that is rounded down is -0, unless both operands are +0.
#[inline(always)]
fn add_f32(a: f64, b: f64, rounding: Rounding) -> f32 {
    let sum = odd::add_odd(a, b);
    let minus = rounding == Down && (a.is_sign_negative() || b.is_sign_negative());
    let rounded = canonical_f32(round_f32(sum, rounding));
    if sum == 0.0 && minus { -0.0 } else { rounded }
}

/// Defines the f32 functions in one rounding.
macro_rules! directed_f32 {
    ($($rounding:ident: $add:ident, $sub:ident, $mul:ident, $fma:ident, $div:ident, $rcp:ident, $sqrt:ident);+ $(;)?) => {$(
        #[doc = concat!("`add.f32`, rounding: ", stringify!($rounding), ".")]
        #[inline(always)]
        pub(crate) fn $add(a: f32, b: f32) -> f32 {
            add_f32(a.into(), b.into(), $rounding)
        }

        #[doc = concat!("`sub.f32`, rounding: ", stringify!($rounding), ".")]
        #[inline(always)]
        pub(crate) fn $sub(a: f32, b: f32) -> f32 {
            add_f32(a.into(), f64::from(-b), $rounding)
        }

        #[doc = concat!("`mul.f32`, rounding: ", stringify!($rounding), ".")]
        #[inline(always)]
        pub(crate) fn $mul(a: f32, b: f32) -> f32 {
            canonical_f32(round_f32(f64::from(a) * f64::from(b), $rounding)) // the product is exact in f64
        }

        #[doc = concat!("`fma.f32`, `mad.f32`, rounding: ", stringify!($rounding), ".")]
        #[inline(always)]
        pub(crate) fn $fma(a: f32, b: f32, c: f32) -> f32 {
            add_f32(f64::from(a) * f64::from(b), c.into(), $rounding)
        }

        #[doc = concat!("`div.f32`, rounding: ", stringify!($rounding), ".")]
        #[inline(always)]
        pub(crate) fn $div(a: f32, b: f32) -> f32 {
            canonical_f32(round_f32(odd::div_odd(a.into(), b.into()), $rounding))
        }

        #[doc = concat!("`rcp.f32`, rounding: ", stringify!($rounding), ".")]
        #[inline(always)]
        pub(crate) fn $rcp(a: f32) -> f32 {
            $div(1.0, a)
        }

        #[doc = concat!("`sqrt.f32`, rounding: ", stringify!($rounding), ".")]
        #[inline(always)]
        pub(crate) fn $sqrt(a: f32) -> f32 {
            canonical_f32(round_f32(odd::sqrt_odd(a.into()), $rounding))
        }
    )+};
}

directed_f32! {
    Zero: add_rz_f32, sub_rz_f32, mul_rz_f32, fma_rz_f32, div_rz_f32, rcp_rz_f32, sqrt_rz_f32;
    Down: add_rm_f32, sub_rm_f32, mul_rm_f32, fma_rm_f32, div_rm_f32, rcp_rm_f32, sqrt_rm_f32;
    Up: add_rp_f32, sub_rp_f32, mul_rp_f32, fma_rp_f32, div_rp_f32, rcp_rp_f32, sqrt_rp_f32;
}

ftz_and_sat! {
    add_rz_f32(a, b) => add_rz_ftz_f32, add_rz_sat_f32, add_rz_ftz_sat_f32;
    add_rm_f32(a, b) => add_rm_ftz_f32, add_rm_sat_f32, add_rm_ftz_sat_f32;
    add_rp_f32(a, b) => add_rp_ftz_f32, add_rp_sat_f32, add_rp_ftz_sat_f32;
    sub_rz_f32(a, b) => sub_rz_ftz_f32, sub_rz_sat_f32, sub_rz_ftz_sat_f32;
    sub_rm_f32(a, b) => sub_rm_ftz_f32, sub_rm_sat_f32, sub_rm_ftz_sat_f32;
    sub_rp_f32(a, b) => sub_rp_ftz_f32, sub_rp_sat_f32, sub_rp_ftz_sat_f32;
}

ftz_scaled! {
    mul_rz_f32(a, b) [a * UP, b] => mul_rz_ftz_f32;
    mul_rm_f32(a, b) [a * UP, b] => mul_rm_ftz_f32;
    mul_rp_f32(a, b) [a * UP, b] => mul_rp_ftz_f32;
    fma_rz_f32(a, b, c) [a * UP, b, c * UP] => fma_rz_ftz_f32;
    fma_rm_f32(a, b, c) [a * UP, b, c * UP] => fma_rm_ftz_f32;
    fma_rp_f32(a, b, c) [a * UP, b, c * UP] => fma_rp_ftz_f32;
    div_rz_f32(a, b) [a * UP, b] => div_rz_ftz_f32;
    div_rm_f32(a, b) [a * UP, b] => div_rm_ftz_f32;
    div_rp_f32(a, b) [a * UP, b] => div_rp_ftz_f32;
}

sat! {
    mul_rz_f32(a, b) => mul_rz_sat_f32; mul_rz_ftz_f32(a, b) => mul_rz_ftz_sat_f32;
    mul_rm_f32(a, b) => mul_rm_sat_f32; mul_rm_ftz_f32(a, b) => mul_rm_ftz_sat_f32;
    mul_rp_f32(a, b) => mul_rp_sat_f32; mul_rp_ftz_f32(a, b) => mul_rp_ftz_sat_f32;
    fma_rz_f32(a, b, c) => fma_rz_sat_f32; fma_rz_ftz_f32(a, b, c) => fma_rz_ftz_sat_f32;
    fma_rm_f32(a, b, c) => fma_rm_sat_f32; fma_rm_ftz_f32(a, b, c) => fma_rm_ftz_sat_f32;
    fma_rp_f32(a, b, c) => fma_rp_sat_f32; fma_rp_ftz_f32(a, b, c) => fma_rp_ftz_sat_f32;
}

/// Defines `rcp` with `.ftz`, as one divided by the operand.
macro_rules! rcp_ftz {
    ($($ftz:ident = $div:ident);+ $(;)?) => {$(
        #[doc = concat!("[`", stringify!($div), "`] of one, with `.ftz`.")]
        #[inline(always)]
        pub(crate) fn $ftz(a: f32) -> f32 {
            $div(1.0, a)
        }
    )+};
}

rcp_ftz! { rcp_rz_ftz_f32 = div_rz_ftz_f32; rcp_rm_ftz_f32 = div_rm_ftz_f32; rcp_rp_ftz_f32 = div_rp_ftz_f32 }

ftz! {
    sqrt_rz_f32(a) => sqrt_rz_ftz_f32; sqrt_rm_f32(a) => sqrt_rm_ftz_f32; sqrt_rp_f32(a) => sqrt_rp_ftz_f32;
}

/// Rounds an exact value to f64.
#[inline(always)]
fn to_f64(x: Exact, rounding: Rounding) -> f64 {
    f64::from_bits(x.round(F64, rounding))
}

/// Defines the f64 functions in one rounding.
macro_rules! directed_f64 {
    ($($rounding:ident: $add:ident, $sub:ident, $mul:ident, $fma:ident, $div:ident, $rcp:ident, $sqrt:ident);+ $(;)?) => {$(
        #[doc = concat!("`add.f64`, rounding: ", stringify!($rounding), ".")]
        #[inline]
        pub(crate) fn $add(a: f64, b: f64) -> f64 {
            if a.is_finite() && b.is_finite() {
                to_f64(Exact::from_f64(a).plus(Exact::from_f64(b), $rounding), $rounding)
            } else {
                add_rn_f64(a, b)
            }
        }

        #[doc = concat!("`sub.f64`, rounding: ", stringify!($rounding), ".")]
        #[inline]
        pub(crate) fn $sub(a: f64, b: f64) -> f64 {
            if b.is_finite() { $add(a, -b) } else { sub_rn_f64(a, b) }
        }

        #[doc = concat!("`mul.f64`, rounding: ", stringify!($rounding), ".")]
        #[inline]
        pub(crate) fn $mul(a: f64, b: f64) -> f64 {
            if a.is_finite() && b.is_finite() {
                to_f64(Exact::from_f64(a).times(Exact::from_f64(b)), $rounding)
            } else {
                mul_rn_f64(a, b)
            }
        }

        #[doc = concat!("`fma.f64`, `mad.f64`, rounding: ", stringify!($rounding), ".")]
        #[inline]
        pub(crate) fn $fma(a: f64, b: f64, c: f64) -> f64 {
            if a.is_finite() && b.is_finite() && c.is_finite() {
                let product = Exact::from_f64(a).times(Exact::from_f64(b));
                to_f64(product.plus(Exact::from_f64(c), $rounding), $rounding)
            } else {
                fma_rn_f64(a, b, c)
            }
        }

        #[doc = concat!("`div.f64`, rounding: ", stringify!($rounding), ".")]
        #[inline]
        pub(crate) fn $div(a: f64, b: f64) -> f64 {
            if a.is_finite() && b.is_finite() && b != 0.0 {
                to_f64(Exact::from_f64(a).over(Exact::from_f64(b)), $rounding)
            } else {
                div_rn_f64(a, b)
            }
        }

        #[doc = concat!("`rcp.f64`, rounding: ", stringify!($rounding), ".")]
        #[inline]
        pub(crate) fn $rcp(a: f64) -> f64 {
            if a.is_finite() && a != 0.0 { $div(1.0, a) } else { rcp_rn_f64(a) }
        }

        #[doc = concat!("`sqrt.f64`, rounding: ", stringify!($rounding), ".")]
        #[inline]
        pub(crate) fn $sqrt(a: f64) -> f64 {
            if a.is_finite() && a >= 0.0 { to_f64(Exact::from_f64(a).root(), $rounding) } else { sqrt_rn_f64(a) }
        }
    )+};
}

directed_f64! {
    Zero: add_rz_f64, sub_rz_f64, mul_rz_f64, fma_rz_f64, div_rz_f64, rcp_rz_f64, sqrt_rz_f64;
    Down: add_rm_f64, sub_rm_f64, mul_rm_f64, fma_rm_f64, div_rm_f64, rcp_rm_f64, sqrt_rm_f64;
    Up: add_rp_f64, sub_rp_f64, mul_rp_f64, fma_rp_f64, div_rp_f64, rcp_rp_f64, sqrt_rp_f64;
}
