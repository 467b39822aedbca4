//! The instructions that the functions of `f32` consist of.
//!
//! On the host, the hardware's approximations are the nearest `f32`.

use crate::intrinsics;

macro_rules! instructions {
    ($($(#[$doc:meta])* fn $name:ident($($argument:ident),*) = $intrinsic:ident or $host:expr;)*) => {
        $(
            $(#[$doc])*
            #[inline(always)]
            pub(in super::super) fn $name($($argument: f32),*) -> f32 {
                if cfg!(target_arch = "nvptx64") {
                    // SAFETY: the intrinsic is defined for every float.
                    unsafe { intrinsics::$intrinsic($($argument),*) }
                } else {
                    $host
                }
            }
        )*
    };
}

instructions! {
    /// Returns `a * b + c`, rounded once.
    fn fma(a, b, c) = fma_rn_f or libm::fmaf(a, b, c);
    /// Returns `a * b + c`, but 0 if it is less or not a number, and 1 if it is more.
    fn fma_saturating(a, b, c) = fma_rn_sat_f or saturated(libm::fmaf(a, b, c));
    /// Returns the largest whole number that is not above `a * b + c`, from 2^23 to 2^24.
    fn fma_down(a, b, c) = fma_rm_f or whole_sum(a, b, c);
    /// Returns the whole part.
    fn trunc(x) = trunc_f or libm::truncf(x);
    /// Returns the nearest whole number.
    fn rint(x) = rint_f or libm::rintf(x);
    /// Returns the product, which is never fused with a sum.
    fn mul(a, b) = mul_rn_f or a * b;
    /// Returns 2^x. Denormal results are zero.
    fn ex2(x) = ex2_approx_ftz or flush(libm::exp2f(x));
    /// Returns 2^x, also if it is denormal.
    fn ex2_denormal(x) = ex2_approx or libm::exp2f(x);
    /// Returns the logarithm to base 2. Denormal arguments are zero.
    fn lg2(x) = lg2_approx_ftz or libm::log2f(flush(x));
    /// Returns the logarithm to base 2, also of denormals.
    fn lg2_denormal(x) = lg2_approx or libm::log2f(x);
    /// Returns the reciprocal. Denormal arguments and results are zero.
    fn rcp(x) = rcp_approx_ftz or flush(1.0 / flush(x));
    /// Returns the square root. Denormal arguments are zero.
    fn sqrt(x) = sqrt_approx_ftz or libm::sqrtf(flush(x));
    /// Returns the reciprocal of the square root, also of denormals.
    fn rsqrt(x) = rsqrt_approx or (1.0 / libm::sqrt(x.into())) as f32;
}

/// What is not a number is no more than zero either.
fn saturated(x: f32) -> f32 {
    if x > 0.0 { x.min(1.0) } else { 0.0 }
}

/// An `f64` has room for the product and the sum.
fn whole_sum(a: f32, b: f32, c: f32) -> f32 {
    libm::floor(f64::from(a) * f64::from(b) + f64::from(c)) as f32
}

/// Replaces a denormal by the zero of its sign.
fn flush(x: f32) -> f32 {
    if x.abs() < f32::MIN_POSITIVE {
        0f32.copysign(x)
    } else {
        x
    }
}
