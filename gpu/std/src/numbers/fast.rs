//! The hardware's approximations of functions of `f32`. Each is a few instructions without
//! branches, and has an error that the kernel must tolerate.
//!
//! The errors are those of CUDA's intrinsics of the same names (`__sinf`, `__expf`, ...): CUDA
//! programming guide, "Mathematical Functions: Intrinsic Functions"; PTX ISA, `sin.approx`,
//! `ex2.approx`, `lg2.approx`, `div.approx`. The accurate functions are in [`crate::math`].

use core::f32::consts::{LN_2, LOG2_10, LOG2_E, LOG10_2};

use crate::intrinsics;

macro_rules! approximations {
    ($($(#[$doc:meta])* fn $name:ident($($argument:ident),*) = $intrinsic:ident;)*) => {
        $($(#[$doc])* #[inline] #[must_use] pub fn $name($($argument: f32),*) -> f32 {
            // SAFETY: the intrinsic is defined for every float.
            unsafe { intrinsics::$intrinsic($($argument),*) }
        })*
    };
}

approximations! {
    /// Returns the sine. The error is up to 2^-21.41 for `x` in -pi to pi, and larger outside.
    fn sin(x) = sin_approx;
    /// Returns the cosine. The error is up to 2^-21.19 for `x` in -pi to pi, and larger outside.
    fn cos(x) = cos_approx;
    /// Returns 2 to the power of `x`. The error is up to 2 units in the last place.
    fn exp2(x) = ex2_approx;
    /// Does the same as [`exp2`] in one instruction instead of four. A result below 2^-126 is 0.
    #[doc(alias = "ex2.approx.ftz")]
    fn exp2_flushed(x) = ex2_approx_ftz;
    /// Returns the logarithm to base 2. The error is up to 2^-22 for `x` in 0.5 to 2, and up to 2
    /// units in the last place elsewhere.
    fn log2(x) = lg2_approx;
    /// Returns the reciprocal of the square root. The relative error is up to 2^-22.9.
    fn rsqrt(x) = rsqrt_approx;
    /// Returns the square root. The relative error is up to 2^-23.
    fn sqrt(x) = sqrt_approx;
    /// Returns the quotient. The error is up to 2 units in the last place for `b` from 2^-126 to
    /// 2^126. For a larger `b`, the result is zero.
    fn div(a, b) = div_approx;
}

/// Returns the tangent, as the quotient of sine and cosine.
#[inline]
#[must_use]
pub fn tan(x: f32) -> f32 {
    div(sin(x), cos(x))
}

/// Returns the hyperbolic tangent. The relative error is up to 2^-11.
///
/// It is one instruction from `sm_75` on. Before, it is computed from [`exp`].
#[inline]
#[must_use]
pub fn tanh(x: f32) -> f32 {
    #[cfg(target_arch = "nvptx64")]
    if crate::target::is_at_least(75) {
        let result;
        // SAFETY: the instruction reads and writes registers only.
        unsafe {
            core::arch::asm!(
                "tanh.approx.f32 {d}, {a};",
                d = lateout(reg32) result,
                a = in(reg32) x,
                options(pure, nomem, nostack, preserves_flags),
            );
        }
        return result;
    }
    let power = exp(2.0 * x.abs());
    (1.0 - div(2.0, power + 1.0)).copysign(x)
}

/// Returns the sine and the cosine, each as accurate as [`sin`] and [`cos`].
#[inline]
#[must_use]
pub fn sin_cos(x: f32) -> (f32, f32) {
    (sin(x), cos(x))
}

/// Returns e to the power of `x`. The error is up to `2 + |1.173 x|` units in the last place.
#[inline]
#[must_use]
pub fn exp(x: f32) -> f32 {
    exp2(x * LOG2_E)
}

/// Returns 10 to the power of `x`. The error is up to `2 + |2.97 x|` units in the last place.
#[inline]
#[must_use]
pub fn exp10(x: f32) -> f32 {
    exp2(x * LOG2_10)
}

/// Returns the natural logarithm. The error is up to 2^-21.41 for `x` in 0.5 to 2, and up to 3
/// units in the last place elsewhere.
#[inline]
#[must_use]
pub fn log(x: f32) -> f32 {
    log2(x) * LN_2
}

/// Returns the logarithm to base 10. The error is up to 2^-23.4 for `x` in 0.5 to 2, and up to 3
/// units in the last place elsewhere.
///
/// The bound is the scaled bound of [`log2`] plus one rounding. CUDA's guide gives 2^-24 for
/// `__log10f`, but the error on an H200 was 2^-23.97 at 0.52865.
#[inline]
#[must_use]
pub fn log10(x: f32) -> f32 {
    log2(x) * LOG10_2
}

/// Returns `x` to the power of `y`, as `2^(y log2 x)`. `x` must not be negative.
#[inline]
#[must_use]
pub fn pow(x: f32, y: f32) -> f32 {
    exp2(y * log2(x))
}

/// The functions that replace the accurate ones with `--fast-math`.
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
        tanhf = tanh(x);
    }

    #[unsafe(export_name = "__lanewise_fast_sincosf")]
    extern "C" fn sincosf(x: f32, sine: &mut f32, cosine: &mut f32) {
        (*sine, *cosine) = super::sin_cos(x);
    }
}
