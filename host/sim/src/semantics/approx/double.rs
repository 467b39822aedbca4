//! `rcp.approx.ftz.f64`, `rsqrt.approx.ftz.f64`, `rsqrt.approx.f64`.
//!
//! PTX ISA 9.7.3. The first two are "gross": they read the upper 32 bits of their operand and write
//! the upper 32 bits of the result (sign, exponent, 20 bits of fraction). The other bits are zero.
//! Subnormal operands and results count as zeros. libdevice refines the results by Newton steps.
//! Open in the ISA: the rounding of those 20 bits, here to nearest; a NaN, here the operand's upper
//! half made quiet (a NaN whose payload is only in the lower half is read as an infinity: measured
//! on an H200); `rsqrt` of a negative number, here NaN.

use crate::semantics::float::nan::{INVALID_F64, quiet_f64};

/// Keeps the upper 32 bits. The others become zero.
#[inline(always)]
fn upper(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & 0xffff_ffff_0000_0000)
}

/// Replaces a subnormal by the zero of its sign.
#[inline(always)]
fn ftz_f64(x: f64) -> f64 {
    if x.abs() < f64::MIN_POSITIVE {
        0f64.copysign(x)
    } else {
        x
    }
}

/// Applies `exact` to the operand, with the operand and the result reduced as
/// these instructions do.
#[inline(always)]
fn gross(a: f64, exact: impl Fn(f64) -> f64) -> f64 {
    let a = upper(ftz_f64(a));
    let result = exact(a);
    // Round to 20 bits, ties to even. A carry correctly increments the exponent.
    let bits = result.to_bits();
    let rounded = upper(f64::from_bits(
        bits.wrapping_add(0x7fff_ffff + (bits >> 32 & 1)),
    ));
    let result = if result.is_finite() {
        ftz_f64(rounded)
    } else {
        result
    };
    let nan = if a.is_nan() {
        upper(quiet_f64(a))
    } else {
        INVALID_F64
    };
    if a.is_nan() || result.is_nan() {
        nan
    } else {
        result
    }
}

/// Returns the result of `rcp.approx.ftz.f64`.
#[inline(always)]
pub(crate) fn rcp_approx_ftz_f64(a: f64) -> f64 {
    gross(a, |a| 1.0 / a)
}

/// Returns the result of `rsqrt.approx.ftz.f64`.
#[inline(always)]
pub(crate) fn rsqrt_approx_ftz_f64(a: f64) -> f64 {
    gross(a, |a| 1.0 / a.sqrt())
}

/// `rsqrt.approx.f64`: full width, with subnormals.
#[inline(always)]
pub(crate) fn rsqrt_approx_f64(a: f64) -> f64 {
    let result = 1.0 / a.sqrt();
    let nan = if a.is_nan() {
        quiet_f64(a)
    } else {
        INVALID_F64
    };
    if result.is_nan() { nan } else { result }
}
