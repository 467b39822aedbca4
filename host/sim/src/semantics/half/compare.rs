//! `setp` and `set` on f16 and bf16, and `set` to them.
//!
//! PTX ISA 9.7.7 "Half Precision Comparison Instructions". Halves compare as their values in f32.
//! For a packed pair, the machine compares both halves. The two predicates of `setp` are the low
//! and the high result.

use super::bits::Half;
use crate::semantics::compare;
use half::{bf16, f16};

/// Defines one f32 comparison for f16, for f16 with subnormals read as zero (`.ftz`), and for bf16.
macro_rules! setp {
    ($($wide:ident => $f16:ident, $ftz:ident, $bf16:ident);+ $(;)?) => {$(
        #[doc = concat!("[`compare::", stringify!($wide), "`] at f16.")]
        #[inline(always)]
        pub(crate) fn $f16(a: f16, b: f16) -> bool {
            compare::$wide(a.widen(), b.widen())
        }

        #[doc = concat!("[`compare::", stringify!($wide), "`] at f16, with `.ftz`.")]
        #[inline(always)]
        pub(crate) fn $ftz(a: f16, b: f16) -> bool {
            $f16(a.flush(), b.flush())
        }

        #[doc = concat!("[`compare::", stringify!($wide), "`] at bf16.")]
        #[inline(always)]
        pub(crate) fn $bf16(a: bf16, b: bf16) -> bool {
            compare::$wide(a.widen(), b.widen())
        }
    )+};
}

setp! {
    setp_eq_f32 => setp_eq_f16, setp_eq_ftz_f16, setp_eq_bf16;
    setp_ne_f32 => setp_ne_f16, setp_ne_ftz_f16, setp_ne_bf16;
    setp_lt_f32 => setp_lt_f16, setp_lt_ftz_f16, setp_lt_bf16;
    setp_le_f32 => setp_le_f16, setp_le_ftz_f16, setp_le_bf16;
    setp_gt_f32 => setp_gt_f16, setp_gt_ftz_f16, setp_gt_bf16;
    setp_ge_f32 => setp_ge_f16, setp_ge_ftz_f16, setp_ge_bf16;
    setp_equ_f32 => setp_equ_f16, setp_equ_ftz_f16, setp_equ_bf16;
    setp_neu_f32 => setp_neu_f16, setp_neu_ftz_f16, setp_neu_bf16;
    setp_ltu_f32 => setp_ltu_f16, setp_ltu_ftz_f16, setp_ltu_bf16;
    setp_leu_f32 => setp_leu_f16, setp_leu_ftz_f16, setp_leu_bf16;
    setp_gtu_f32 => setp_gtu_f16, setp_gtu_ftz_f16, setp_gtu_bf16;
    setp_geu_f32 => setp_geu_f16, setp_geu_ftz_f16, setp_geu_bf16;
    setp_num_f32 => setp_num_f16, setp_num_ftz_f16, setp_num_bf16;
    setp_nan_f32 => setp_nan_f16, setp_nan_ftz_f16, setp_nan_bf16;
}
