//! `sin.approx`, `cos.approx` on f32.
//!
//! PTX ISA 9.7.3. The ISA bounds the error in [-100pi, 100pi] only; here it is half an ulp everywhere. An infinity gives NaN.

use crate::semantics::float::{canonical_f32, ftz_f32};

/// `sin.approx.f32`: of ±0 that zero.
#[inline(always)]
pub fn sin_approx_f32(a: f32) -> f32 {
    canonical_f32(libm::sin(a.into()) as f32)
}

/// `cos.approx.f32`.
#[inline(always)]
pub fn cos_approx_f32(a: f32) -> f32 {
    canonical_f32(libm::cos(a.into()) as f32)
}

ftz! {
    sin_approx_f32(a) => sin_approx_ftz_f32;
    cos_approx_f32(a) => cos_approx_ftz_f32;
}
