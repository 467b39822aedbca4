//! Approximations: PTX ISA 9.7.3 and 9.7.4, `.approx` and `.full`.

use super::{Rows, one, one_rare, two, two_rare};
use crate::semantics::approx::*;

/// Adds this subject's rows.
pub(super) fn rows(rows: &mut Rows) {
    super::rows! { rows;
        one {
            "rcp.approx.f32" => rcp_approx_f32,
            "rcp.approx.ftz.f32" => rcp_approx_ftz_f32,
            "sqrt.approx.f32" => sqrt_approx_f32,
            "sqrt.approx.ftz.f32" => sqrt_approx_ftz_f32,
            "rsqrt.approx.f32" => rsqrt_approx_f32,
            "rsqrt.approx.ftz.f32" => rsqrt_approx_ftz_f32,
            "ex2.approx.f32" => ex2_approx_f32,
            "ex2.approx.ftz.f32" => ex2_approx_ftz_f32,
            "lg2.approx.f32" => lg2_approx_f32,
            "lg2.approx.ftz.f32" => lg2_approx_ftz_f32,
            "sin.approx.f32" => sin_approx_f32,
            "sin.approx.ftz.f32" => sin_approx_ftz_f32,
            "cos.approx.f32" => cos_approx_f32,
            "cos.approx.ftz.f32" => cos_approx_ftz_f32,
            "tanh.approx.f32" => tanh_approx_f32,
        }
        two {
            "div.full.f32" => div_full_f32,
            "div.approx.f32" => div_approx_f32,
        }
        one_rare {
            "rcp.approx.ftz.f64" => rcp_approx_ftz_f64,
            "rsqrt.approx.f64" => rsqrt_approx_f64,
            "rsqrt.approx.ftz.f64" => rsqrt_approx_ftz_f64,
            "ex2.approx.f16" => ex2_approx_f16,
            "ex2.approx.f16x2" => ex2_approx_f16x2,
            "ex2.approx.ftz.bf16" => ex2_approx_ftz_bf16,
            "ex2.approx.ftz.bf16x2" => ex2_approx_ftz_bf16x2,
            "tanh.approx.f16" => tanh_approx_f16,
            "tanh.approx.f16x2" => tanh_approx_f16x2,
            "tanh.approx.bf16" => tanh_approx_bf16,
            "tanh.approx.bf16x2" => tanh_approx_bf16x2,
        }
        two_rare {
            "div.full.ftz.f32" => div_full_ftz_f32,
            "div.approx.ftz.f32" => div_approx_ftz_f32,
        }
    }
}
