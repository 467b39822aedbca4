//! `min`, `max` on one f16 or bf16, with `.ftz`, `.NaN` and `.xorsign.abs`.
//!
//! PTX ISA 9.7.4. Halves have the same order as their values in f32, so these are the f32
//! functions: see [`crate::semantics::float`].

use super::bits::Half;
use crate::semantics::float;
use half::{bf16, f16};

/// Defines one f32 extreme for both half types, and with `.ftz` for f16.
macro_rules! extremes {
    ($($wide:ident => $f16:ident, $ftz:ident, $bf16:ident);+ $(;)?) => {$(
        #[doc = concat!("[`float::", stringify!($wide), "`] at f16.")]
        #[inline(always)]
        pub(crate) fn $f16(a: f16, b: f16) -> f16 {
            f16::narrow(float::$wide(a.widen(), b.widen()))
        }

        #[doc = concat!("[`float::", stringify!($wide), "`] at f16, with `.ftz`.")]
        #[inline(always)]
        pub(crate) fn $ftz(a: f16, b: f16) -> f16 {
            $f16(a.flush(), b.flush())
        }

        #[doc = concat!("[`float::", stringify!($wide), "`] at bf16.")]
        #[inline(always)]
        pub(crate) fn $bf16(a: bf16, b: bf16) -> bf16 {
            bf16::narrow(float::$wide(a.widen(), b.widen()))
        }
    )+};
}

extremes! {
    min_f32 => min_f16, min_ftz_f16, min_bf16;
    max_f32 => max_f16, max_ftz_f16, max_bf16;
    min_nan_f32 => min_nan_f16, min_ftz_nan_f16, min_nan_bf16;
    max_nan_f32 => max_nan_f16, max_ftz_nan_f16, max_nan_bf16;
}

/// Returns `x` with the sign of a * b, unless it is NaN. The sign of a NaN operand also counts.
#[inline(always)]
fn with_xor_sign(x: u16, a: u16, b: u16) -> u16 {
    if x == 0x7fff { x } else { x | (a ^ b) & 0x8000 }
}

/// Defines one f32 extreme of magnitudes for both half types, with the operands' signs, and with
/// `.ftz` for f16.
macro_rules! xorsign {
    ($($wide:ident => $f16:ident, $ftz:ident, $bf16:ident);+ $(;)?) => {$(
        #[doc = concat!("[`float::", stringify!($wide), "`] at f16 with `.xorsign.abs`.")]
        #[inline(always)]
        pub(crate) fn $f16(a: f16, b: f16) -> f16 {
            let magnitude = f16::narrow(float::$wide(a.widen().abs(), b.widen().abs()));
            f16::from_bits(with_xor_sign(magnitude.to_bits(), a.to_bits(), b.to_bits()))
        }

        #[doc = concat!("[`float::", stringify!($wide), "`] at f16 with `.xorsign.abs` and `.ftz`.")]
        #[inline(always)]
        pub(crate) fn $ftz(a: f16, b: f16) -> f16 {
            $f16(a.flush(), b.flush())
        }

        #[doc = concat!("[`float::", stringify!($wide), "`] at bf16 with `.xorsign.abs`.")]
        #[inline(always)]
        pub(crate) fn $bf16(a: bf16, b: bf16) -> bf16 {
            let magnitude = bf16::narrow(float::$wide(a.widen().abs(), b.widen().abs()));
            bf16::from_bits(with_xor_sign(magnitude.to_bits(), a.to_bits(), b.to_bits()))
        }
    )+};
}

xorsign! {
    min_f32 => min_xorsign_abs_f16, min_ftz_xorsign_abs_f16, min_xorsign_abs_bf16;
    max_f32 => max_xorsign_abs_f16, max_ftz_xorsign_abs_f16, max_xorsign_abs_bf16;
    min_nan_f32 => min_nan_xorsign_abs_f16, min_ftz_nan_xorsign_abs_f16, min_nan_xorsign_abs_bf16;
    max_nan_f32 => max_nan_xorsign_abs_f16, max_ftz_nan_xorsign_abs_f16, max_nan_xorsign_abs_bf16;
}
