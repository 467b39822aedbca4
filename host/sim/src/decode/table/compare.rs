//! Comparisons: PTX ISA 9.7.3 (`testp`), 9.7.6 and 9.7.7. The handler does the Boolean operation
//! with a third predicate.
//!
//! `set` and comparisons of pairs are composed of these rows: see `decode/instructions/compare.rs`.

use super::{Rows, property, test, test_rare};
use crate::semantics::compare::*;
use crate::semantics::half::*;

/// Adds this subject's rows.
pub(super) fn rows(rows: &mut Rows) {
    words(rows);
    halves(rows);
    properties(rows);
}

/// Adds `setp` on types of 32 and 64 bits, and on integers of 16.
fn words(rows: &mut Rows) {
    super::named! { rows;
        test {
            setp_eq_s32 setp_eq_s64 setp_ne_s32 setp_ne_s64 setp_lt_s32 setp_lt_s64
            setp_le_s32 setp_le_s64 setp_gt_s32 setp_gt_s64 setp_ge_s32 setp_ge_s64
            setp_eq_f32 setp_eq_f64 setp_ne_f32 setp_lt_f32 setp_lt_f64 setp_le_f32
            setp_le_f64 setp_gt_f32 setp_gt_f64 setp_ge_f32 setp_ge_f64 setp_neu_f32
            setp_ltu_f32 setp_geu_f32 setp_nan_f32 setp_leu_f32 setp_gtu_f32
        }
        test_rare {
            setp_eq_s16 setp_ne_s16 setp_lt_s16 setp_le_s16 setp_gt_s16 setp_ge_s16
            setp_eq_ftz_f32 setp_ne_ftz_f32 setp_ne_f64 setp_lt_ftz_f32
            setp_le_ftz_f32 setp_gt_ftz_f32 setp_ge_ftz_f32 setp_equ_f32
            setp_equ_ftz_f32 setp_equ_f64 setp_neu_ftz_f32 setp_neu_f64
            setp_ltu_ftz_f32 setp_ltu_f64 setp_leu_ftz_f32 setp_leu_f64
            setp_gtu_ftz_f32 setp_gtu_f64 setp_geu_ftz_f32 setp_geu_f64 setp_num_f32
            setp_num_ftz_f32 setp_num_f64 setp_nan_ftz_f32 setp_nan_f64
        }
    }
    super::rows! { rows;
        test {
            "setp.eq.u32 setp.eq.b32" => setp_eq_u32,
            "setp.eq.u64 setp.eq.b64" => setp_eq_u64,
            "setp.ne.u32 setp.ne.b32" => setp_ne_u32,
            "setp.ne.u64 setp.ne.b64" => setp_ne_u64,
            "setp.lt.u32 setp.lo.u32" => setp_lt_u32,
            "setp.lt.u64 setp.lo.u64" => setp_lt_u64,
            "setp.le.u32 setp.ls.u32" => setp_le_u32,
            "setp.le.u64 setp.ls.u64" => setp_le_u64,
            "setp.gt.u32 setp.hi.u32" => setp_gt_u32,
            "setp.gt.u64 setp.hi.u64" => setp_gt_u64,
            "setp.ge.u32 setp.hs.u32" => setp_ge_u32,
            "setp.ge.u64 setp.hs.u64" => setp_ge_u64,
        }
        test_rare {
            "setp.eq.u16 setp.eq.b16" => setp_eq_u16,
            "setp.ne.u16 setp.ne.b16" => setp_ne_u16,
            "setp.lt.u16 setp.lo.u16" => setp_lt_u16,
            "setp.le.u16 setp.ls.u16" => setp_le_u16,
            "setp.gt.u16 setp.hi.u16" => setp_gt_u16,
            "setp.ge.u16 setp.hs.u16" => setp_ge_u16,
        }
    }
}

/// Adds `setp` on one f16 or bf16.
fn halves(rows: &mut Rows) {
    super::named! { rows;
        test_rare {
            setp_eq_f16 setp_eq_ftz_f16 setp_ne_f16 setp_ne_ftz_f16 setp_lt_f16
            setp_lt_ftz_f16 setp_le_f16 setp_le_ftz_f16 setp_gt_f16 setp_gt_ftz_f16
            setp_ge_f16 setp_ge_ftz_f16 setp_equ_f16 setp_equ_ftz_f16 setp_neu_f16
            setp_neu_ftz_f16 setp_ltu_f16 setp_ltu_ftz_f16 setp_leu_f16
            setp_leu_ftz_f16 setp_gtu_f16 setp_gtu_ftz_f16 setp_geu_f16
            setp_geu_ftz_f16 setp_num_f16 setp_num_ftz_f16 setp_nan_f16
            setp_nan_ftz_f16 setp_eq_bf16 setp_ne_bf16 setp_lt_bf16 setp_le_bf16
            setp_gt_bf16 setp_ge_bf16 setp_equ_bf16 setp_neu_bf16 setp_ltu_bf16
            setp_leu_bf16 setp_gtu_bf16 setp_geu_bf16 setp_num_bf16 setp_nan_bf16
        }
    }
}

/// Adds the rows of `testp`.
fn properties(rows: &mut Rows) {
    super::rows! { rows;
        property {
            "testp.finite.f32" => |a, _| testp_finite_f32(a),
            "testp.finite.f64" => |a, _| testp_finite_f64(a),
            "testp.infinite.f32" => |a, _| testp_infinite_f32(a),
            "testp.infinite.f64" => |a, _| testp_infinite_f64(a),
            "testp.number.f32" => |a, _| testp_number_f32(a),
            "testp.number.f64" => |a, _| testp_number_f64(a),
            "testp.notanumber.f32" => |a, _| testp_notanumber_f32(a),
            "testp.notanumber.f64" => |a, _| testp_notanumber_f64(a),
            "testp.normal.f32" => |a, _| testp_normal_f32(a),
            "testp.normal.f64" => |a, _| testp_normal_f64(a),
            "testp.subnormal.f32" => |a, _| testp_subnormal_f32(a),
            "testp.subnormal.f64" => |a, _| testp_subnormal_f64(a),
        }
    }
}
