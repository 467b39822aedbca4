//! The instructions that the functions of `f64` consist of.
//!
//! On the host, the hardware's approximations are the nearest `f64`.

use super::super::single::machine as single;
use crate::intrinsics;

macro_rules! instructions {
    ($($(#[$doc:meta])* fn $name:ident($($argument:ident),*) = $intrinsic:ident or $host:expr;)*) => {
        $(
            $(#[$doc])*
            #[inline(always)]
            pub(super) fn $name($($argument: f64),*) -> f64 {
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
    fn fma(a, b, c) = fma_rn_d or libm::fma(a, b, c);
    /// Returns the product, which is never fused with a sum.
    fn mul(a, b) = mul_rn_d or a * b;
    /// Returns the whole part.
    fn trunc(x) = trunc_d or libm::trunc(x);
    /// Returns the nearest whole number.
    fn rint(x) = rint_d or libm::rint(x);
    /// Returns 20 digits of the reciprocal of the square root. Denormal arguments are zero.
    fn rsqrt_gross(x) = rsqrt_approx_ftz_d or 1.0 / libm::sqrt(x);
    /// Returns 20 digits of the reciprocal. Denormal arguments and results are zero.
    fn rcp_approx(x) = rcp_approx_ftz_d or 1.0 / x;
    /// Returns the reciprocal of the square root, within a unit in the last place.
    fn rsqrt_approx(x) = rsqrt_approx_d or 1.0 / libm::sqrt(x);
}

/// Returns the reciprocal of a number from 2^-1021 to 2^1021, within a unit in the last place.
#[inline(always)]
pub(super) fn reciprocal(x: f64) -> f64 {
    let r = rcp_approx(x);
    // r (1 + e + e^2), with an e of about 2^-20.
    let e = fma(-x, r, 1.0);
    fma(fma(e, e, e), r, r)
}

/// Returns the square root of zero or of a number from 2^-1021 to 2^1021, within a unit in the
/// last place.
#[inline(always)]
pub(super) fn root(x: f64) -> f64 {
    let r = rsqrt_gross(x);
    // Newton's iteration on the root and on half of its reciprocal.
    let (g, h) = (x * r, 0.5 * r);
    let e = fma(-g, h, 0.5);
    let (g, h) = (fma(g, e, g), fma(h, e, h));
    let root = fma(fma(-g, g, x), h, g);
    if x == 0.0 { x } else { root }
}

/// Returns 20 digits of the reciprocal of the cube root of a number from 1 to 8.
#[inline(always)]
pub(super) fn gross_cube_root(m: f64) -> f64 {
    f64::from(single::ex2(single::lg2(m as f32) * (-1.0 / 3.0)))
}
