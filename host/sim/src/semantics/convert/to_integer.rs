//! `cvt` from a float to an integer, and to a whole number of the same type.
//!
//! PTX ISA 9.7.9, "cvt", `.rni`, `.rzi`, `.rmi`, `.rpi`. These conversions always saturate, with or
//! without `.sat`. Open in the ISA: a NaN. As measured on an H200, from f64 and to 64 bits it gives
//! the sign bit alone; otherwise 0. The half types are converted to f32 first and have its results.

use super::integer::Int;
use crate::semantics::Rounding;
use crate::semantics::float::nan::{canonical_f32, settle1_f64};
use crate::semantics::half::{cvt_f32_bf16, cvt_f32_f16, cvt_rn_bf16_f32, cvt_rn_f16_f32};
use half::{bf16, f16};

/// The float types that convert to integers.
pub(crate) trait Float: Copy {
    /// Returns the value rounded to a whole number.
    fn whole(self, rounding: Rounding) -> Self;
    /// Returns the whole number as an integer, saturated.
    fn to_int<D: Int>(self) -> D;
}

/// Rounds to a whole number with the standard library's functions.
macro_rules! whole {
    ($x:expr, $rounding:expr) => {
        match $rounding {
            Rounding::Nearest => $x.round_ties_even(),
            Rounding::Zero => $x.trunc(),
            Rounding::Down => $x.floor(),
            Rounding::Up => $x.ceil(),
        }
    };
}

impl Float for f32 {
    #[inline(always)]
    fn whole(self, rounding: Rounding) -> f32 {
        canonical_f32(whole!(self, rounding))
    }
    #[inline(always)]
    fn to_int<D: Int>(self) -> D {
        D::from_f32(self)
    }
}

impl Float for f64 {
    #[inline(always)]
    fn whole(self, rounding: Rounding) -> f64 {
        settle1_f64(whole!(self, rounding), self)
    }
    #[inline(always)]
    fn to_int<D: Int>(self) -> D {
        D::from_f64(self)
    }
}

/// Implements the half types through f32, which represents them and their whole numbers exactly.
macro_rules! half_float {
    ($($t:ty: $widen:ident, $narrow:ident);+ $(;)?) => {$(
        impl Float for $t {
            #[inline(always)]
            fn whole(self, rounding: Rounding) -> $t {
                $narrow($widen(self).whole(rounding))
            }
            #[inline(always)]
            fn to_int<D: Int>(self) -> D {
                $widen(self).to_int()
            }
        }
    )+};
}

half_float! {
    f16: cvt_f32_f16, cvt_rn_f16_f32;
    bf16: cvt_f32_bf16, cvt_rn_bf16_f32;
}

/// Defines both kinds of conversion in one rounding.
macro_rules! round {
    ($($to_int:ident, $to_whole:ident: $rounding:ident, $text:literal);+ $(;)?) => {$(
        #[doc = concat!("`cvt.", $text, ".dtype.atype` to an integer: rounded, then saturated.")]
        #[inline(always)]
        pub(crate) fn $to_int<D: Int, S: Float>(a: S) -> D {
            a.whole(Rounding::$rounding).to_int()
        }

        #[doc = concat!("`cvt.", $text, "` of a float to its own type: a whole number of the same sign.")]
        #[inline(always)]
        pub(crate) fn $to_whole<S: Float>(a: S) -> S {
            a.whole(Rounding::$rounding)
        }
    )+};
}

round! {
    cvt_rni, cvt_rni_whole: Nearest, "rni";
    cvt_rzi, cvt_rzi_whole: Zero, "rzi";
    cvt_rmi, cvt_rmi_whole: Down, "rmi";
    cvt_rpi, cvt_rpi_whole: Up, "rpi";
}
