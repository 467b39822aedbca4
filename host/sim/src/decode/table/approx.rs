//! Approximations: PTX ISA 9.7.3 and 9.7.4, `.approx` and `.full`.

use super::{Rows, one, one_rare, two, two_rare};
use crate::semantics::approx::*;

/// Adds this subject's rows.
pub(super) fn rows(rows: &mut Rows) {
    super::named! { rows;
        one {
            rcp_approx_f32 rcp_approx_ftz_f32 sqrt_approx_f32 sqrt_approx_ftz_f32
            rsqrt_approx_f32 rsqrt_approx_ftz_f32 ex2_approx_f32 ex2_approx_ftz_f32
            lg2_approx_f32 lg2_approx_ftz_f32 sin_approx_f32 sin_approx_ftz_f32
            cos_approx_f32 cos_approx_ftz_f32 tanh_approx_f32
        }
        two {
            div_full_f32 div_approx_f32
        }
        one_rare {
            rcp_approx_ftz_f64 rsqrt_approx_f64 rsqrt_approx_ftz_f64 ex2_approx_f16
            ex2_approx_f16x2 ex2_approx_ftz_bf16 ex2_approx_ftz_bf16x2 tanh_approx_f16
            tanh_approx_f16x2 tanh_approx_bf16 tanh_approx_bf16x2
        }
        two_rare {
            div_full_ftz_f32 div_approx_ftz_f32
        }
    }
}
