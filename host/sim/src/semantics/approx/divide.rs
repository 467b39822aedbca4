//! `div.approx`, `div.full`, `rcp.approx`, `sqrt.approx`, `rsqrt.approx` on f32.
//!
//! PTX ISA 9.7.3. The definition of `div.approx` has an exception: a divisor of magnitude in
//! (2^126, 2^128) gives zero, because its reciprocal is subnormal (measured: `div.approx` 1 by more
//! than 2^127 is 0, `div.full` is 0x00400000). With an infinite dividend it gives NaN. Open in the
//! ISA: the sign of that zero; here it is the quotient's.

use crate::semantics::float::nan::NAN_F32;
use crate::semantics::float::{canonical_f32, div_rn_f32, ftz_f32, rcp_rn_f32, sqrt_rn_f32};

/// Returns the result of `div.approx.f32`.
#[inline(always)]
pub(crate) fn div_approx_f32(a: f32, b: f32) -> f32 {
    const HOLE: f32 = 8.507_059e37; // 2^126
    let quotient = div_rn_f32(a, b);
    let in_hole = b.abs() > HOLE && b.abs() < f32::INFINITY;
    let hole = if a.is_infinite() {
        NAN_F32
    } else {
        0f32.copysign(quotient)
    };
    if in_hole && !quotient.is_nan() {
        hole
    } else {
        quotient
    }
}

/// Returns the result of `div.full.f32`.
#[inline(always)]
pub(crate) fn div_full_f32(a: f32, b: f32) -> f32 {
    div_rn_f32(a, b)
}

/// Returns the result of `rcp.approx.f32`.
#[inline(always)]
pub(crate) fn rcp_approx_f32(a: f32) -> f32 {
    rcp_rn_f32(a)
}

/// Returns the result of `sqrt.approx.f32`.
#[inline(always)]
pub(crate) fn sqrt_approx_f32(a: f32) -> f32 {
    sqrt_rn_f32(a)
}

/// `rsqrt.approx.f32`: the result for +0 and -0 is the infinity of the same sign.
#[inline(always)]
pub(crate) fn rsqrt_approx_f32(a: f32) -> f32 {
    let root = f64::from(a).sqrt(); // of -0: -0
    canonical_f32((1.0 / root) as f32)
}

ftz! {
    div_approx_f32(a, b) => div_approx_ftz_f32;
    div_full_f32(a, b) => div_full_ftz_f32;
    rcp_approx_f32(a) => rcp_approx_ftz_f32;
    sqrt_approx_f32(a) => sqrt_approx_ftz_f32;
    rsqrt_approx_f32(a) => rsqrt_approx_ftz_f32;
}
