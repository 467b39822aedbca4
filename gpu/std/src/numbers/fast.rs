//! The hardware's approximations of functions of `f32`: a few instructions each, without branches,
//! and with errors that the kernel must tolerate.
//!
//! Errors are those of CUDA's intrinsics of the same names (`__sinf`, `__expf`, ...): CUDA
//! programming guide, "Mathematical Functions: Intrinsic Functions"; PTX ISA, `sin.approx`,
//! `ex2.approx`, `lg2.approx`, `div.approx`. The accurate functions are in [`crate::math`].

use core::f32::consts::{LN_2, LOG2_10, LOG2_E, LOG10_2};

use crate::intrinsics;

macro_rules! approximations {
    ($($(#[$doc:meta])* fn $name:ident($($argument:ident),*) = $intrinsic:ident;)*) => {
        $($(#[$doc])* #[inline] #[must_use] pub fn $name($($argument: f32),*) -> f32 {
            // SAFETY: defined for every float.
            unsafe { intrinsics::$intrinsic($($argument),*) }
        })*
    };
}

approximations! {
    /// Sine; within 2^-21.41 of it for `x` in -pi to pi, worse outside.
    fn sin(x) = sin_approx;
    /// Cosine; within 2^-21.19 of it for `x` in -pi to pi, worse outside.
    fn cos(x) = cos_approx;
    /// 2 to the power of `x`; within 2 units in the last place.
    fn exp2(x) = ex2_approx;
    /// Logarithm to base 2; within 2^-22 of it for `x` in 0.5 to 2, 2 units in the last place
    /// elsewhere.
    fn log2(x) = lg2_approx;
    /// The reciprocal of the square root; relative error up to 2^-22.9.
    fn rsqrt(x) = rsqrt_approx;
    /// Square root; relative error up to 2^-23.
    fn sqrt(x) = sqrt_approx;
    /// The quotient; within 2 units in the last place for `b` from 2^-126 to 2^126, zero for larger
    /// ones.
    fn div(a, b) = div_approx;
}

/// Tangent, as the quotient of sine and cosine.
#[inline]
#[must_use]
pub fn tan(x: f32) -> f32 {
    div(sin(x), cos(x))
}

/// e to the power of `x`; within `2 + |1.173 x|` units in the last place.
#[inline]
#[must_use]
pub fn exp(x: f32) -> f32 {
    exp2(x * LOG2_E)
}

/// 10 to the power of `x`; within `2 + |2.97 x|` units in the last place.
#[inline]
#[must_use]
pub fn exp10(x: f32) -> f32 {
    exp2(x * LOG2_10)
}

/// Natural logarithm; within 2^-21.41 of it for `x` in 0.5 to 2, 3 units in the last place
/// elsewhere.
#[inline]
#[must_use]
pub fn log(x: f32) -> f32 {
    log2(x) * LN_2
}

/// Logarithm to base 10; within 2^-23.4 of it for `x` in 0.5 to 2, 3 units in the last place
/// elsewhere.
///
/// The bound is [`log2`]'s, scaled, and a rounding. CUDA's guide says 2^-24 of `__log10f`; an H200
/// was off by 2^-23.97 at 0.52865.
#[inline]
#[must_use]
pub fn log10(x: f32) -> f32 {
    log2(x) * LOG10_2
}

/// `x` to the power of `y`, as `2^(y log2 x)`; `x` is not negative.
#[inline]
#[must_use]
pub fn pow(x: f32, y: f32) -> f32 {
    exp2(y * log2(x))
}

/// What `--fast-math` puts in the place of the accurate functions.
#[cfg(target_arch = "nvptx64")]
mod symbols {
    macro_rules! symbols {
        ($($name:ident = $function:ident($($argument:ident),*);)*) => {
            $(
                #[unsafe(export_name = concat!("__lanewise_fast_", stringify!($name)))]
                extern "C" fn $name($($argument: f32),*) -> f32 {
                    super::$function($($argument),*)
                }
            )*
        };
    }

    symbols! {
        sinf = sin(x);
        cosf = cos(x);
        tanf = tan(x);
        expf = exp(x);
        exp2f = exp2(x);
        exp10f = exp10(x);
        logf = log(x);
        log2f = log2(x);
        log10f = log10(x);
        powf = pow(x, y);
    }
}
