//! Floating-point arithmetic rounded to nearest, f32 and f64: PTX ISA 9.7.3.
//!
//! The other roundings are in `directed`, minimum and maximum in `extremes`,
//! approximations in `approx`.

use super::{Rows, one, one_rare, three, three_rare, two, two_rare};
use crate::semantics::float::*;

/// Adds this subject's rows.
pub(super) fn rows(rows: &mut Rows) {
    super::named! { rows;
        one {
            rcp_rn_f32 sqrt_rn_f32 neg_f32 abs_f32 sqrt_rn_f64 neg_f64 abs_f64
            rcp_rn_f64
        }
        one_rare {
            rcp_rn_ftz_f32 sqrt_rn_ftz_f32 neg_ftz_f32 abs_ftz_f32
        }
        two {
            div_rn_f32 div_rn_f64
        }
        two_rare {
            div_rn_ftz_f32 copysign_f32 copysign_f64
        }
    }
    super::rows! { rows;
        two {
            "add.f32 add.rn.f32" => add_rn_f32,
            "add.ftz.f32 add.rn.ftz.f32" => add_rn_ftz_f32,
            "add.f64 add.rn.f64" => add_rn_f64,
            "sub.f32 sub.rn.f32" => sub_rn_f32,
            "sub.ftz.f32 sub.rn.ftz.f32" => sub_rn_ftz_f32,
            "sub.f64 sub.rn.f64" => sub_rn_f64,
            "mul.f32 mul.rn.f32" => mul_rn_f32,
            "mul.ftz.f32 mul.rn.ftz.f32" => mul_rn_ftz_f32,
            "mul.f64 mul.rn.f64" => mul_rn_f64,
        }
        two_rare {
            "add.sat.f32 add.rn.sat.f32" => add_rn_sat_f32,
            "add.ftz.sat.f32 add.rn.ftz.sat.f32" => add_rn_ftz_sat_f32,
            "sub.sat.f32 sub.rn.sat.f32" => sub_rn_sat_f32,
            "sub.ftz.sat.f32 sub.rn.ftz.sat.f32" => sub_rn_ftz_sat_f32,
            "mul.sat.f32 mul.rn.sat.f32" => mul_rn_sat_f32,
            "mul.ftz.sat.f32 mul.rn.ftz.sat.f32" => mul_rn_ftz_sat_f32,
        }
        three {
            "fma.rn.f32 mad.rn.f32" => fma_rn_f32,
            "fma.rn.ftz.f32 mad.rn.ftz.f32" => fma_rn_ftz_f32,
            "fma.rn.f64 mad.rn.f64" => fma_rn_f64,
        }
        three_rare {
            "fma.rn.sat.f32 mad.rn.sat.f32" => fma_rn_sat_f32,
            "fma.rn.ftz.sat.f32 mad.rn.ftz.sat.f32" => fma_rn_ftz_sat_f32,
        }
    }
}
