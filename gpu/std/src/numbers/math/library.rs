//! The functions of a mathematical library, with one symbol for each.
//!
//! Every function is called through a symbol `__lanewise_math_NAME`, with the name that it has in
//! C. By default the symbol is a function of `functions`, or of `libm` on the host. The builder can
//! replace it by another function: libdevice's `__nv_NAME` or an approximation. So rustc must not
//! inline it. The builder lets LLVM inline the function that it chose.

use core::fmt::Debug;
use core::iter::Sum;
use core::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Rem, Sub, SubAssign};

use super::{functions, parts};
use crate::kernel::Value;
use crate::warp::Shuffle;

macro_rules! functions {
    ($($library:ident { $(fn $name:ident($($argument:ident: $ty:ty),*) $(-> $result:ty)?;)* })*) => {
        mod symbols {
            use super::*;

            $($(
                #[cfg_attr(
                    target_arch = "nvptx64",
                    unsafe(export_name = concat!("__lanewise_math_", stringify!($name))),
                    inline(never)
                )]
                pub(super) extern "C" fn $name($($argument: $ty),*) $(-> $result)? {
                    $library::$name($($argument),*)
                }
            )*)*
        }
    };
}

#[cfg(not(target_arch = "nvptx64"))]
use libm as ours_or_hosts;

#[cfg(target_arch = "nvptx64")]
use super::functions as ours_or_hosts;

functions! {
    ours_or_hosts {
        fn sinf(x: f32) -> f32;     fn sin(x: f64) -> f64;
        fn cosf(x: f32) -> f32;     fn cos(x: f64) -> f64;
        fn tanf(x: f32) -> f32;     fn tan(x: f64) -> f64;
        fn asinf(x: f32) -> f32;     fn asin(x: f64) -> f64;
        fn acosf(x: f32) -> f32;     fn acos(x: f64) -> f64;
        fn atanf(x: f32) -> f32;     fn atan(x: f64) -> f64;
        fn sinhf(x: f32) -> f32;     fn sinh(x: f64) -> f64;
        fn coshf(x: f32) -> f32;     fn cosh(x: f64) -> f64;
        fn tanhf(x: f32) -> f32;     fn tanh(x: f64) -> f64;
        fn asinhf(x: f32) -> f32;     fn asinh(x: f64) -> f64;
        fn acoshf(x: f32) -> f32;     fn acosh(x: f64) -> f64;
        fn atanhf(x: f32) -> f32;     fn atanh(x: f64) -> f64;
        fn expf(x: f32) -> f32;     fn exp(x: f64) -> f64;
        fn exp2f(x: f32) -> f32;     fn exp2(x: f64) -> f64;
        fn exp10f(x: f32) -> f32;     fn exp10(x: f64) -> f64;
        fn expm1f(x: f32) -> f32;     fn expm1(x: f64) -> f64;
        fn logf(x: f32) -> f32;     fn log(x: f64) -> f64;
        fn log2f(x: f32) -> f32;     fn log2(x: f64) -> f64;
        fn log10f(x: f32) -> f32;     fn log10(x: f64) -> f64;
        fn log1pf(x: f32) -> f32;     fn log1p(x: f64) -> f64;
        fn cbrtf(x: f32) -> f32;     fn cbrt(x: f64) -> f64;
        fn erff(x: f32) -> f32;     fn erf(x: f64) -> f64;
        fn erfcf(x: f32) -> f32;     fn erfc(x: f64) -> f64;
        fn powf(x: f32, y: f32) -> f32;     fn pow(x: f64, y: f64) -> f64;
        fn atan2f(y: f32, x: f32) -> f32;   fn atan2(y: f64, x: f64) -> f64;
        fn hypotf(x: f32, y: f32) -> f32;   fn hypot(x: f64, y: f64) -> f64;
        fn tgammaf(x: f32) -> f32;    fn tgamma(x: f64) -> f64;
        fn lgammaf(x: f32) -> f32;    fn lgamma(x: f64) -> f64;
    }

    functions {
        fn sincosf(x: f32, sine: &mut f32, cosine: &mut f32);
        fn sincos(x: f64, sine: &mut f64, cosine: &mut f64);
        fn sincospif(x: f32, sine: &mut f32, cosine: &mut f32);
        fn sincospi(x: f64, sine: &mut f64, cosine: &mut f64);
        fn sinpif(x: f32) -> f32;     fn sinpi(x: f64) -> f64;
        fn cospif(x: f32) -> f32;     fn cospi(x: f64) -> f64;
        fn rsqrtf(x: f32) -> f32;     fn rsqrt(x: f64) -> f64;
        fn rcbrtf(x: f32) -> f32;     fn rcbrt(x: f64) -> f64;
        fn erfcxf(x: f32) -> f32;     fn erfcx(x: f64) -> f64;
        fn erfinvf(x: f32) -> f32;    fn erfinv(x: f64) -> f64;
        fn erfcinvf(x: f32) -> f32;   fn erfcinv(x: f64) -> f64;
        fn normcdff(x: f32) -> f32;   fn normcdf(x: f64) -> f64;
        fn normcdfinvf(x: f32) -> f32;    fn normcdfinv(x: f64) -> f64;
        fn rhypotf(x: f32, y: f32) -> f32;    fn rhypot(x: f64, y: f64) -> f64;
        fn norm3df(x: f32, y: f32, z: f32) -> f32;    fn norm3d(x: f64, y: f64, z: f64) -> f64;
        fn rnorm3df(x: f32, y: f32, z: f32) -> f32;   fn rnorm3d(x: f64, y: f64, z: f64) -> f64;
        fn norm4df(x: f32, y: f32, z: f32, w: f32) -> f32;
        fn norm4d(x: f64, y: f64, z: f64, w: f64) -> f64;
        fn rnorm4df(x: f32, y: f32, z: f32, w: f32) -> f32;
        fn rnorm4d(x: f64, y: f64, z: f64, w: f64) -> f64;
        fn j0f(x: f32) -> f32;    fn j0(x: f64) -> f64;
        fn j1f(x: f32) -> f32;    fn j1(x: f64) -> f64;
        fn y0f(x: f32) -> f32;    fn y0(x: f64) -> f64;
        fn y1f(x: f32) -> f32;    fn y1(x: f64) -> f64;
        fn jnf(n: i32, x: f32) -> f32;    fn jn(n: i32, x: f64) -> f64;
        fn ynf(n: i32, x: f32) -> f32;    fn yn(n: i32, x: f64) -> f64;
        fn cyl_bessel_i0f(x: f32) -> f32;    fn cyl_bessel_i0(x: f64) -> f64;
        fn cyl_bessel_i1f(x: f32) -> f32;    fn cyl_bessel_i1(x: f64) -> f64;
    }
}

/// Returns two results of a function that writes them through references, as C's functions do.
#[inline(always)]
fn pair<T: Default>(function: impl FnOnce(&mut T, &mut T)) -> (T, T) {
    let (mut first, mut second) = (T::default(), T::default());
    function(&mut first, &mut second);
    (first, second)
}

/// Declares the methods, with their documentation and their symbols for `f32` and `f64`.
macro_rules! float {
    (
        library: $($(#[$doc:meta])* fn $method:ident(self $(, $argument:ident)*) = $single:ident, $double:ident;)*
        instructions: $($(#[$idoc:meta])* fn $imethod:ident(self $(, $iargument:ident)*)
            = $isingle:ident or $lsingle:ident, $idouble:ident or $ldouble:ident;)*
    ) => {
        /// A float of the machine, `f32` or `f64`. It has arithmetic, and the functions of `std`
        /// under the same names. A kernel that is generic over both types needs only this trait as
        /// a bound. In such a kernel, `T::from(0.5)` is a constant.
        ///
        /// ```
        /// # use lanewise_std::math::Float;
        /// fn softened<T: Float>(distance: T) -> T {
        ///     T::from(1.0) / (distance * distance + T::from(0.25)).sqrt()
        /// }
        /// assert_eq!((softened(0.0f32), softened(0.0f64)), (2.0, 2.0));
        /// ```
        pub trait Float:
            Value
            + Shuffle
            + Debug
            + Default
            + PartialOrd
            + From<f32>
            + Into<f64>
            + Add<Output = Self>
            + Sub<Output = Self>
            + Mul<Output = Self>
            + Div<Output = Self>
            + Rem<Output = Self>
            + Neg<Output = Self>
            + AddAssign
            + SubAssign
            + MulAssign
            + DivAssign
            + Sum
        {
            $($(#[$doc])* #[must_use] fn $method(self $(, $argument: Self)*) -> Self;)*
            $($(#[$idoc])* #[must_use] fn $imethod(self $(, $iargument: Self)*) -> Self;)*
            /// Returns `self` to the power of an integer.
            #[must_use]
            fn powi(self, n: i32) -> Self;
            /// Returns the absolute value of this number.
            #[must_use]
            fn abs(self) -> Self;
            /// Returns the minimum of the two. If one is NaN, it returns the other.
            #[must_use]
            fn min(self, other: Self) -> Self;
            /// Returns the maximum of the two. If one is NaN, it returns the other.
            #[must_use]
            fn max(self, other: Self) -> Self;
            /// Returns this number with the sign of `sign`.
            #[must_use]
            fn copysign(self, sign: Self) -> Self;
            /// Returns one divided by this number.
            #[must_use]
            fn recip(self) -> Self;
            /// Returns the sine and the cosine of this angle in radians.
            #[must_use]
            fn sin_cos(self) -> (Self, Self);
            /// Returns the sine and the cosine of pi times `self`.
            #[must_use]
            fn sin_cos_pi(self) -> (Self, Self);
            /// Returns the Bessel function of the first kind of order `n`, or NaN if `n` is
            /// negative. The time grows with the order.
            #[must_use]
            fn jn(self, n: i32) -> Self;
            /// Returns the Bessel function of the second kind of order `n`, or NaN if `n` is
            /// negative. The time grows with the order.
            #[must_use]
            fn yn(self, n: i32) -> Self;
            /// Returns `self` times 2 to the power of `n`, rounded once.
            ///
            /// ```
            /// # use lanewise_std::math::Float;
            /// assert_eq!(Float::ldexp(0.75f32, 3), 6.0);
            /// assert_eq!(Float::frexp(6.0f32), (0.75, 3));
            /// ```
            #[doc(alias = "scalbn")]
            #[must_use]
            fn ldexp(self, n: i32) -> Self;
            /// Returns `m` and `n` with `self = m 2^n` and an `m` from 0.5 to below 1 in magnitude.
            /// Zero, an infinity and NaN are returned with 0.
            #[must_use]
            fn frexp(self) -> (Self, i32);
            /// Returns the exponent: the largest `n` for which 2^n is not above `self` in
            /// magnitude.
            #[must_use]
            fn logb(self) -> Self;
            /// Returns [`logb`](Self::logb) as an integer: `i32::MIN` of zero and NaN, `i32::MAX`
            /// of an infinity.
            #[must_use]
            fn ilogb(self) -> i32;
            /// Returns the next float from `self` in the direction of `to`.
            #[doc(alias = "nextafter")]
            #[must_use]
            fn next_after(self, to: Self) -> Self;
            /// Returns `self - y` if that is positive, else zero.
            #[must_use]
            fn fdim(self, y: Self) -> Self;
            /// Returns what is left of `self` after the nearest whole multiple of `y`, exactly. If
            /// two are equally near, it is the even one. The operator `%`, C's `fmod`, takes the
            /// multiple towards zero.
            ///
            /// ```
            /// # use lanewise_std::math::Float;
            /// assert_eq!((5.5f32 % 2.0, Float::remainder(5.5f32, 2.0)), (1.5, -0.5));
            /// ```
            #[must_use]
            fn remainder(self, y: Self) -> Self;
            /// Returns [`remainder`](Self::remainder), and the lowest three bits of the multiple
            /// with the quotient's sign.
            #[must_use]
            fn remquo(self, y: Self) -> (Self, i32);
            /// Returns fraction and integer part, both with the sign of `self`.
            #[must_use]
            fn modf(self) -> (Self, Self);
        }

        float!(@impl f32, single, sincosf sincospif jnf ynf { $($method $single $($argument)*;)* } { $($imethod $isingle $lsingle $($iargument)*;)* });
        float!(@impl f64, double, sincos sincospi jn yn { $($method $double $($argument)*;)* } { $($imethod $idouble $ldouble $($iargument)*;)* });
    };
    // Functions that `core` has too, for code that is generic over this trait.
    (@core $float:ident $($method:ident($($argument:ident)?)),*) => {
        $(
            #[inline]
            fn $method(self $(, $argument: Self)?) -> Self {
                <$float>::$method(self $(, $argument)?)
            }
        )*
    };
    (@impl $float:ident, $parts:ident, $sincos:ident $sincospi:ident $jn:ident $yn:ident { $($method:ident $symbol:ident $($argument:ident)*;)* }
        { $($imethod:ident $intrinsic:ident $library:ident $($iargument:ident)*;)* }) => {
        impl Float for $float {
            $(
                // Always inlined, so that `#[fast_math]` on the caller sees the symbol.
                #[inline(always)]
                fn $method(self $(, $argument: Self)*) -> Self {
                    symbols::$symbol(self $(, $argument)*)
                }
            )*
            $(
                #[inline]
                fn $imethod(self $(, $iargument: Self)*) -> Self {
                    #[cfg(target_arch = "nvptx64")]
                    #[allow(unused_unsafe)]
                    // SAFETY: the intrinsic is defined for every float.
                    return unsafe { core::intrinsics::$intrinsic(self $(, $iargument)*) };
                    #[cfg(not(target_arch = "nvptx64"))]
                    libm::$library(self $(, $iargument)*)
                }
            )*
            float!(@core $float abs(), min(other), max(other), copysign(sign), recip());
            #[inline(always)]
            fn sin_cos(self) -> (Self, Self) {
                pair(|sine, cosine| symbols::$sincos(self, sine, cosine))
            }
            #[inline(always)]
            fn sin_cos_pi(self) -> (Self, Self) {
                pair(|sine, cosine| symbols::$sincospi(self, sine, cosine))
            }
            #[inline(always)]
            fn jn(self, n: i32) -> Self {
                symbols::$jn(n, self)
            }
            #[inline(always)]
            fn yn(self, n: i32) -> Self {
                symbols::$yn(n, self)
            }
            #[inline]
            fn ldexp(self, n: i32) -> Self {
                parts::$parts::ldexp(self, n)
            }
            #[inline]
            fn frexp(self) -> (Self, i32) {
                parts::$parts::frexp(self)
            }
            #[inline]
            fn logb(self) -> Self {
                parts::$parts::logb(self)
            }
            #[inline]
            fn ilogb(self) -> i32 {
                parts::$parts::ilogb(self)
            }
            #[inline]
            fn next_after(self, to: Self) -> Self {
                parts::$parts::next_after(self, to)
            }
            #[inline]
            fn fdim(self, y: Self) -> Self {
                parts::$parts::fdim(self, y)
            }
            #[inline]
            fn remainder(self, y: Self) -> Self {
                parts::$parts::remquo(self, y).0
            }
            #[inline]
            fn remquo(self, y: Self) -> (Self, i32) {
                parts::$parts::remquo(self, y)
            }
            #[inline]
            fn modf(self) -> (Self, Self) {
                parts::$parts::modf(self, Float::trunc(self))
            }
            #[inline]
            fn powi(self, n: i32) -> Self {
                // Called by the trait's name: on the host, method syntax would call the
                // function of `std`.
                Float::powf(self, n as $float)
            }
        }
    };
}

float! {
    library:
    /// Returns the sine of an angle in radians.
    fn sin(self) = sinf, sin;
    /// Returns the cosine of an angle in radians.
    fn cos(self) = cosf, cos;
    /// Returns the tangent of an angle in radians.
    fn tan(self) = tanf, tan;
    /// Returns the angle, in radians, whose sine is `self`.
    fn asin(self) = asinf, asin;
    /// Returns the angle, in radians, whose cosine is `self`.
    fn acos(self) = acosf, acos;
    /// Returns the angle, in radians, whose tangent is `self`.
    fn atan(self) = atanf, atan;
    /// Returns the angle of the point (`x`, `self`), in radians.
    fn atan2(self, x) = atan2f, atan2;
    /// Returns the hyperbolic sine of this number.
    fn sinh(self) = sinhf, sinh;
    /// Returns the hyperbolic cosine of this number.
    fn cosh(self) = coshf, cosh;
    /// Returns the hyperbolic tangent of this number.
    fn tanh(self) = tanhf, tanh;
    /// Returns the number whose hyperbolic sine is `self`.
    fn asinh(self) = asinhf, asinh;
    /// Returns the non-negative number whose hyperbolic cosine is `self`.
    fn acosh(self) = acoshf, acosh;
    /// Returns the number whose hyperbolic tangent is `self`.
    fn atanh(self) = atanhf, atanh;
    /// Returns e to the power of `self`.
    fn exp(self) = expf, exp;
    /// Returns 2 to the power of `self`.
    fn exp2(self) = exp2f, exp2;
    /// Returns 10 to the power of `self`.
    fn exp10(self) = exp10f, exp10;
    /// Returns e to the power of `self`, minus one. The result is accurate near zero.
    fn exp_m1(self) = expm1f, expm1;
    /// Returns the natural logarithm of this number.
    fn ln(self) = logf, log;
    /// Returns the logarithm of this number to base 2.
    fn log2(self) = log2f, log2;
    /// Returns the logarithm of this number to base 10.
    fn log10(self) = log10f, log10;
    /// Returns the natural logarithm of one plus `self`. The result is accurate near zero.
    fn ln_1p(self) = log1pf, log1p;
    /// Returns `self` to the power of `y`.
    fn powf(self, y) = powf, pow;
    /// Returns the cube root of this number.
    fn cbrt(self) = cbrtf, cbrt;
    /// Returns the reciprocal of the square root.
    fn rsqrt(self) = rsqrtf, rsqrt;
    /// Returns the reciprocal of the cube root.
    fn rcbrt(self) = rcbrtf, rcbrt;
    /// Returns the sine of pi times `self`, which is exact for halves.
    fn sin_pi(self) = sinpif, sinpi;
    /// Returns the cosine of pi times `self`, which is exact for halves.
    fn cos_pi(self) = cospif, cospi;
    /// Returns the distance of (`self`, `y`) from the origin.
    fn hypot(self, y) = hypotf, hypot;
    /// Returns the reciprocal of the distance of (`self`, `y`) from the origin.
    fn rhypot(self, y) = rhypotf, rhypot;
    /// Returns the length of the vector (`self`, `y`, `z`).
    fn norm3d(self, y, z) = norm3df, norm3d;
    /// Returns the reciprocal of the length of the vector (`self`, `y`, `z`).
    fn rnorm3d(self, y, z) = rnorm3df, rnorm3d;
    /// Returns the length of the vector (`self`, `y`, `z`, `w`).
    fn norm4d(self, y, z, w) = norm4df, norm4d;
    /// Returns the reciprocal of the length of the vector (`self`, `y`, `z`, `w`).
    fn rnorm4d(self, y, z, w) = rnorm4df, rnorm4d;
    /// Returns the Bessel function of the first kind of order 0.
    fn j0(self) = j0f, j0;
    /// Returns the Bessel function of the first kind of order 1.
    fn j1(self) = j1f, j1;
    /// Returns the Bessel function of the second kind of order 0.
    fn y0(self) = y0f, y0;
    /// Returns the Bessel function of the second kind of order 1.
    fn y1(self) = y1f, y1;
    /// Returns the modified Bessel function of the first kind of order 0.
    fn cyl_bessel_i0(self) = cyl_bessel_i0f, cyl_bessel_i0;
    /// Returns the modified Bessel function of the first kind of order 1.
    fn cyl_bessel_i1(self) = cyl_bessel_i1f, cyl_bessel_i1;
    /// Returns the error function of this number.
    fn erf(self) = erff, erf;
    /// Returns one minus the error function. The result is accurate where it is small.
    fn erfc(self) = erfcf, erfc;
    /// Returns one minus the error function, times e to the power of the square. It is a normal
    /// number where [`erfc`](Self::erfc) is zero.
    fn erfcx(self) = erfcxf, erfcx;
    /// Returns the number whose error function is `self`.
    #[doc(alias = "erfinv")]
    fn erf_inv(self) = erfinvf, erfinv;
    /// Returns the number for which one minus the error function is `self`.
    #[doc(alias = "erfcinv")]
    fn erfc_inv(self) = erfcinvf, erfcinv;
    /// Returns the part of a standard normal distribution that is below this number.
    #[doc(alias = "normcdf")]
    fn norm_cdf(self) = normcdff, normcdf;
    /// Returns the number below which this part of a standard normal distribution is.
    #[doc(alias = "normcdfinv")]
    fn norm_cdf_inv(self) = normcdfinvf, normcdfinv;
    /// Returns the gamma function of this number.
    fn gamma(self) = tgammaf, tgamma;
    /// Returns the logarithm of the gamma function's absolute value.
    fn ln_gamma(self) = lgammaf, lgamma;

    instructions:
    /// Returns the square root, correctly rounded (unless the build has `--prec-sqrt off`).
    fn sqrt(self) = sqrtf32 or sqrtf, sqrtf64 or sqrt;
    /// Returns `self * b + c`, rounded once.
    fn mul_add(self, b, c) = fmaf32 or fmaf, fmaf64 or fma;
    /// Returns the largest whole number not above `self`.
    fn floor(self) = floorf32 or floorf, floorf64 or floor;
    /// Returns the smallest whole number not below `self`.
    fn ceil(self) = ceilf32 or ceilf, ceilf64 or ceil;
    /// Returns the integer part of this number, without the fraction.
    fn trunc(self) = truncf32 or truncf, truncf64 or trunc;
    /// Returns the nearest whole number, with ties away from zero.
    fn round(self) = roundf32 or roundf, roundf64 or round;
    /// Returns the nearest whole number, with ties to even.
    fn round_ties_even(self) = round_ties_even_f32 or rintf, round_ties_even_f64 or rint;
}

/// Returns the length of a vector of any number of elements: CUDA's `norm`. No square overflows.
///
/// ```
/// # use lanewise_std::math;
/// assert_eq!(math::norm(&[3e30f32, 4e30, 0.0]), 5e30);
/// assert_eq!(math::rnorm(&[3.0f64, 4.0]), 0.2);
/// ```
#[must_use]
pub fn norm<T: Float>(vector: &[T]) -> T {
    let (sum, exponent) = squares(vector);
    if exponent == i32::MAX {
        T::from(f32::INFINITY)
    } else {
        sum.sqrt().ldexp(exponent)
    }
}

/// Returns the reciprocal of [`norm`]: CUDA's `rnorm`.
#[must_use]
pub fn rnorm<T: Float>(vector: &[T]) -> T {
    let (sum, exponent) = squares(vector);
    if exponent == i32::MAX {
        T::from(0.0)
    } else {
        sum.rsqrt().ldexp(-exponent)
    }
}

/// Returns the sum of the squares of the elements over 2^n, and this n, which is the exponent of
/// the largest element; `i32::MAX` if that is infinite.
fn squares<T: Float>(vector: &[T]) -> (T, i32) {
    let zero = T::default();
    let largest = vector.iter().fold(zero, |most, x| most.max(x.abs()));
    let exponent = if largest == zero { 0 } else { largest.ilogb() };
    let squares = vector.iter().map(|x| {
        let x = x.ldexp(-exponent);
        x * x
    });
    (squares.sum(), exponent)
}
