//! `ex2.approx`, `tanh.approx` on f16, bf16 and pairs of them.
//!
//! PTX ISA 9.7.4. The f64 value is rounded once. For bf16, only `ex2.approx.ftz` exists. The form
//! for f16 keeps subnormals.

use super::exponential::exp2;
use crate::semantics::half::{cvt_f32_bf16, cvt_f32_f16, cvt_rn_bf16_f32, cvt_rn_f16_f32, x2_1};
use crate::semantics::odd::odd_f32;
use half::{bf16, f16};

/// `ex2.approx.f16`. A subnormal result is truncated, not rounded: measured on an H200.
#[inline(always)]
pub(crate) fn ex2_approx_f16(a: f16) -> f16 {
    let power = exp2(cvt_f32_f16(a).into());
    let subnormal = (power * 16_777_216.0) as u16; // in units of 2^-24
    if power < 6.103_515_625e-5 {
        f16::from_bits(subnormal)
    } else {
        cvt_rn_f16_f32(odd_f32(power))
    }
}

/// Returns the result of `ex2.approx.ftz.bf16`.
#[inline(always)]
pub(crate) fn ex2_approx_ftz_bf16(a: bf16) -> bf16 {
    use crate::semantics::float::ftz_f32;
    let power = odd_f32(exp2(ftz_f32(cvt_f32_bf16(a)).into()));
    cvt_rn_bf16_f32(ftz_f32(cvt_f32_bf16(cvt_rn_bf16_f32(power))))
}

/// Returns the result of `tanh.approx.f16`.
#[inline(always)]
pub(crate) fn tanh_approx_f16(a: f16) -> f16 {
    cvt_rn_f16_f32(odd_f32(libm::tanh(cvt_f32_f16(a).into())))
}

/// Returns the result of `tanh.approx.bf16`.
#[inline(always)]
pub(crate) fn tanh_approx_bf16(a: bf16) -> bf16 {
    cvt_rn_bf16_f32(odd_f32(libm::tanh(cvt_f32_bf16(a).into())))
}

/// Returns the result of `ex2.approx.f16x2`.
#[inline(always)]
pub(crate) fn ex2_approx_f16x2(a: u32) -> u32 {
    x2_1(a, ex2_approx_f16)
}

/// Returns the result of `ex2.approx.ftz.bf16x2`.
#[inline(always)]
pub(crate) fn ex2_approx_ftz_bf16x2(a: u32) -> u32 {
    x2_1(a, ex2_approx_ftz_bf16)
}

/// Returns the result of `tanh.approx.f16x2`.
#[inline(always)]
pub(crate) fn tanh_approx_f16x2(a: u32) -> u32 {
    x2_1(a, tanh_approx_f16)
}

/// Returns the result of `tanh.approx.bf16x2`.
#[inline(always)]
pub(crate) fn tanh_approx_bf16x2(a: u32) -> u32 {
    x2_1(a, tanh_approx_bf16)
}
