//! `setp`, `set`, `selp`, `slct`, `testp`.
//!
//! PTX ISA 9.7.6 "Comparison and Selection Instructions". A comparison is `setp_OP_TYPE`. `.lo`,
//! `.ls`, `.hi`, `.hs` are `lt`, `le`, `gt`, `ge` with an unsigned type, and `.b` types compare as
//! unsigned. The Boolean operation with a third predicate is [`crate::semantics::logic::and_pred`]
//! or a similar function. The second result of `setp` combines the complement.

typed! {
    /// `setp.eq`: the operands are equal.
    |a, b| a == b;
    setp_eq_u16(u16, u16) -> bool, setp_eq_s16(i16, i16) -> bool, setp_eq_u32(u32, u32) -> bool,
    setp_eq_s32(i32, i32) -> bool, setp_eq_u64(u64, u64) -> bool, setp_eq_s64(i64, i64) -> bool,
}

typed! {
    /// `setp.ne`: not equal.
    |a, b| a != b;
    setp_ne_u16(u16, u16) -> bool, setp_ne_s16(i16, i16) -> bool, setp_ne_u32(u32, u32) -> bool,
    setp_ne_s32(i32, i32) -> bool, setp_ne_u64(u64, u64) -> bool, setp_ne_s64(i64, i64) -> bool,
}

typed! {
    /// `setp.lt` (unsigned: also `.lo`): less.
    |a, b| a < b;
    setp_lt_u16(u16, u16) -> bool, setp_lt_s16(i16, i16) -> bool, setp_lt_u32(u32, u32) -> bool,
    setp_lt_s32(i32, i32) -> bool, setp_lt_u64(u64, u64) -> bool, setp_lt_s64(i64, i64) -> bool,
}

typed! {
    /// `setp.le` (unsigned: also `.ls`): less or equal.
    |a, b| a <= b;
    setp_le_u16(u16, u16) -> bool, setp_le_s16(i16, i16) -> bool, setp_le_u32(u32, u32) -> bool,
    setp_le_s32(i32, i32) -> bool, setp_le_u64(u64, u64) -> bool, setp_le_s64(i64, i64) -> bool,
}

typed! {
    /// `setp.gt` (unsigned: also `.hi`): greater.
    |a, b| a > b;
    setp_gt_u16(u16, u16) -> bool, setp_gt_s16(i16, i16) -> bool, setp_gt_u32(u32, u32) -> bool,
    setp_gt_s32(i32, i32) -> bool, setp_gt_u64(u64, u64) -> bool, setp_gt_s64(i64, i64) -> bool,
}

typed! {
    /// `setp.ge` (unsigned: also `.hs`): greater or equal.
    |a, b| a >= b;
    setp_ge_u16(u16, u16) -> bool, setp_ge_s16(i16, i16) -> bool, setp_ge_u32(u32, u32) -> bool,
    setp_ge_s32(i32, i32) -> bool, setp_ge_u64(u64, u64) -> bool, setp_ge_s64(i64, i64) -> bool,
}

/// Defines one floating-point comparison: for f32, for f32 that reads subnormals as zero (`.ftz`),
/// and for f64.
macro_rules! setp_float {
    ($($(#[$doc:meta])* $name:ident, $ftz:ident, $double:ident: |$a:ident, $b:ident| $test:expr);+ $(;)?) => {$(
        $(#[$doc])*
        #[inline(always)]
        pub(crate) fn $name($a: f32, $b: f32) -> bool {
            $test
        }

        $(#[$doc])* /// Subnormal operands count as zero.
        #[inline(always)]
        pub(crate) fn $ftz(a: f32, b: f32) -> bool {
            $name(ftz_f32(a), ftz_f32(b))
        }

        $(#[$doc])*
        #[inline(always)]
        pub(crate) fn $double($a: f64, $b: f64) -> bool {
            $test
        }
    )+};
}

// The ordered comparisons are false if an operand is NaN. The unordered ones (`u`) are true.
#[expect(
    clippy::neg_cmp_op_on_partial_ord,
    reason = "unordered comparisons are negated ordered ones"
)]
mod floats {
    use crate::semantics::float::ftz_f32;

    setp_float! {
        /// `setp.eq`: equal, and neither is NaN.
        setp_eq_f32, setp_eq_ftz_f32, setp_eq_f64: |a, b| a == b;
        /// `setp.ne`: not equal, and neither is NaN.
        setp_ne_f32, setp_ne_ftz_f32, setp_ne_f64: |a, b| a != b && !a.is_nan() && !b.is_nan();
        /// `setp.lt`: less, and neither is NaN.
        setp_lt_f32, setp_lt_ftz_f32, setp_lt_f64: |a, b| a < b;
        /// `setp.le`: less or equal, and neither is NaN.
        setp_le_f32, setp_le_ftz_f32, setp_le_f64: |a, b| a <= b;
        /// `setp.gt`: greater, and neither is NaN.
        setp_gt_f32, setp_gt_ftz_f32, setp_gt_f64: |a, b| a > b;
        /// `setp.ge`: greater or equal, and neither is NaN.
        setp_ge_f32, setp_ge_ftz_f32, setp_ge_f64: |a, b| a >= b;
        /// `setp.equ`: equal, or an operand is NaN.
        setp_equ_f32, setp_equ_ftz_f32, setp_equ_f64: |a, b| a == b || a.is_nan() || b.is_nan();
        /// `setp.neu`: not equal, or an operand is NaN.
        setp_neu_f32, setp_neu_ftz_f32, setp_neu_f64: |a, b| a != b;
        /// `setp.ltu`: less, or an operand is NaN.
        setp_ltu_f32, setp_ltu_ftz_f32, setp_ltu_f64: |a, b| !(a >= b);
        /// `setp.leu`: less or equal, or an operand is NaN.
        setp_leu_f32, setp_leu_ftz_f32, setp_leu_f64: |a, b| !(a > b);
        /// `setp.gtu`: greater, or an operand is NaN.
        setp_gtu_f32, setp_gtu_ftz_f32, setp_gtu_f64: |a, b| !(a <= b);
        /// `setp.geu`: greater or equal, or an operand is NaN.
        setp_geu_f32, setp_geu_ftz_f32, setp_geu_f64: |a, b| !(a < b);
        /// `setp.num`: neither operand is NaN.
        setp_num_f32, setp_num_ftz_f32, setp_num_f64: |a, b| !a.is_nan() && !b.is_nan();
        /// `setp.nan`: an operand is NaN.
        setp_nan_f32, setp_nan_ftz_f32, setp_nan_f64: |a, b| a.is_nan() || b.is_nan();
    }
}
pub(crate) use floats::*;

typed! {
    /// `slct.dtype.s32`: `a` if `c` is not negative, else `b`. The bits are not changed.
    |a, b, c| if c >= 0 { a } else { b };
    slct_b32_s32(u32, u32, i32) -> u32, slct_b64_s32(u64, u64, i32) -> u64,
}

typed! {
    /// `slct.dtype.f32`: `a` if `c` is positive or zero of either sign, else `b`, also for NaN.
    |a, b, c| if c >= 0.0 { a } else { b };
    slct_b32_f32(u32, u32, f32) -> u32, slct_b64_f32(u64, u64, f32) -> u64,
}

typed! {
    /// `slct.ftz.dtype.f32`: like the form without `.ftz`, but a negative subnormal `c`
    /// counts as zero.
    |a, b, c| if super::float::ftz_f32(c) >= 0.0 { a } else { b };
    slct_ftz_b32_f32(u32, u32, f32) -> u32,
    slct_ftz_b64_f32(u64, u64, f32) -> u64,
}

typed! {
    /// `testp.finite`: neither infinite nor NaN.
    |a| a.is_finite();
    testp_finite_f32(f32) -> bool, testp_finite_f64(f64) -> bool,
}

typed! {
    /// `testp.infinite`: an infinity.
    |a| a.is_infinite();
    testp_infinite_f32(f32) -> bool, testp_infinite_f64(f64) -> bool,
}

typed! {
    /// `testp.number`: not NaN.
    |a| !a.is_nan();
    testp_number_f32(f32) -> bool, testp_number_f64(f64) -> bool,
}

typed! {
    /// `testp.notanumber`: the operand is a NaN.
    |a| a.is_nan();
    testp_notanumber_f32(f32) -> bool, testp_notanumber_f64(f64) -> bool,
}

typed! {
    /// `testp.normal`: normal or zero. A zero counts as normal here.
    |a| a.is_normal() || a == 0.0;
    testp_normal_f32(f32) -> bool, testp_normal_f64(f64) -> bool,
}

typed! {
    /// `testp.subnormal`: below the smallest normal number and not zero.
    |a| a.is_subnormal();
    testp_subnormal_f32(f32) -> bool, testp_subnormal_f64(f64) -> bool,
}
