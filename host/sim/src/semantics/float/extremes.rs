//! `min`, `max`, with `.NaN`, `.xorsign.abs`, `.ftz`, and of three operands.
//!
//! PTX ISA 9.7.3. -0 is less than +0. If one operand is NaN, the result is the other operand, or
//! NaN with `.NaN`. Two NaNs give NaN. With `.xorsign.abs`, magnitudes are compared, and a result
//! that is a number has the sign of the product.

use std::hint::select_unpredictable as select;

use super::nan::{canonical_f32, ftz_f32, settle2_f64};

/// Defines `min` and `max` at one type, without the final choice of a NaN. The result is a NaN only
/// if both operands are.
macro_rules! extremes {
    ($($min:ident, $max:ident: $t:ty);+ $(;)?) => {$(
        #[inline(always)]
        fn $min(a: $t, b: $t) -> $t {
            // Equal operands have the same bits, except for two zeros. The sign bit of either
            // zero makes -0.
            let equal = <$t>::from_bits(a.to_bits() | b.to_bits());
            let ordered = select(a < b, a, select(b < a, b, equal));
            select(a.is_nan(), b, select(b.is_nan(), a, ordered))
        }

        #[inline(always)]
        fn $max(a: $t, b: $t) -> $t {
            let equal = <$t>::from_bits(a.to_bits() & b.to_bits());
            let ordered = select(a > b, a, select(b > a, b, equal));
            select(a.is_nan(), b, select(b.is_nan(), a, ordered))
        }
    )+};
}

extremes! {
    smaller_f32, larger_f32: f32;
    smaller_f64, larger_f64: f64;
}

/// `min.f32`: the smaller one, or the number if the other is NaN.
#[inline(always)]
pub(crate) fn min_f32(a: f32, b: f32) -> f32 {
    canonical_f32(smaller_f32(a, b))
}

/// `max.f32`: the larger one, or the number if the other is NaN.
#[inline(always)]
pub(crate) fn max_f32(a: f32, b: f32) -> f32 {
    canonical_f32(larger_f32(a, b))
}

/// `min.f64`: the smaller one, or the number if the other is NaN. Of two NaNs, the second
/// is the result.
#[inline(always)]
pub(crate) fn min_f64(a: f64, b: f64) -> f64 {
    settle2_f64(smaller_f64(a, b), a, b)
}

/// `max.f64`: the larger one, or the number if the other is NaN. Of two NaNs, the second
/// is the result.
#[inline(always)]
pub(crate) fn max_f64(a: f64, b: f64) -> f64 {
    settle2_f64(larger_f64(a, b), a, b)
}

/// `min.NaN.f32`: the smaller one, or NaN if either is NaN.
#[inline(always)]
pub(crate) fn min_nan_f32(a: f32, b: f32) -> f32 {
    let no_number = a.is_nan() | b.is_nan();
    select(no_number, super::nan::NAN_F32, smaller_f32(a, b))
}

/// `max.NaN.f32`: the larger one, or NaN if either is NaN.
#[inline(always)]
pub(crate) fn max_nan_f32(a: f32, b: f32) -> f32 {
    let no_number = a.is_nan() | b.is_nan();
    select(no_number, super::nan::NAN_F32, larger_f32(a, b))
}

/// Returns `x` with the sign of a * b, unless it is NaN.
#[inline(always)]
fn with_xor_sign(x: f32, a: f32, b: f32) -> f32 {
    let sign = (a.to_bits() ^ b.to_bits()) & 0x8000_0000;
    let signed = f32::from_bits((x.to_bits() & 0x7fff_ffff) | sign);
    if x.is_nan() { x } else { signed }
}

/// Defines the other forms of an f32 minimum or maximum, from the plain one.
macro_rules! forms {
    ($($name:ident => $ftz:ident, $xorsign:ident, $ftz_xorsign:ident, $three:ident, $ftz_three:ident);+ $(;)?) => {$(
        #[doc = concat!("[`", stringify!($name), "`] with `.ftz`.")]
        #[inline(always)]
        pub(crate) fn $ftz(a: f32, b: f32) -> f32 {
            $name(ftz_f32(a), ftz_f32(b))
        }

        #[doc = concat!("[`", stringify!($name), "`] with `.xorsign.abs`.")]
        #[inline(always)]
        pub(crate) fn $xorsign(a: f32, b: f32) -> f32 {
            with_xor_sign($name(a.abs(), b.abs()), a, b)
        }

        #[doc = concat!("[`", stringify!($name), "`] with `.ftz` and `.xorsign.abs`.")]
        #[inline(always)]
        pub(crate) fn $ftz_xorsign(a: f32, b: f32) -> f32 {
            $xorsign(ftz_f32(a), ftz_f32(b))
        }

        #[doc = concat!("[`", stringify!($name), "`] of three operands.")]
        #[inline(always)]
        pub(crate) fn $three(a: f32, b: f32, c: f32) -> f32 {
            $name($name(a, b), c)
        }

        #[doc = concat!("[`", stringify!($name), "`] of three operands, with `.ftz`.")]
        #[inline(always)]
        pub(crate) fn $ftz_three(a: f32, b: f32, c: f32) -> f32 {
            $three(ftz_f32(a), ftz_f32(b), ftz_f32(c))
        }
    )+};
}

forms! {
    min_f32 => min_ftz_f32, min_xorsign_abs_f32, min_ftz_xorsign_abs_f32, min3_f32, min3_ftz_f32;
    max_f32 => max_ftz_f32, max_xorsign_abs_f32, max_ftz_xorsign_abs_f32, max3_f32, max3_ftz_f32;
    min_nan_f32 => min_ftz_nan_f32, min_nan_xorsign_abs_f32, min_ftz_nan_xorsign_abs_f32, min3_nan_f32, min3_ftz_nan_f32;
    max_nan_f32 => max_ftz_nan_f32, max_nan_xorsign_abs_f32, max_ftz_nan_xorsign_abs_f32, max3_nan_f32, max3_ftz_nan_f32;
}
