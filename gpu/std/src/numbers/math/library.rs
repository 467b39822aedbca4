//! The functions of a mathematical library, one symbol each.
//!
//! Every function is called through a symbol `__lanewise_math_NAME`, with the name that it has in
//! C. By default the symbol is `libm`'s function. The builder can put another in its place,
//! libdevice's `__nv_NAME` or an approximation; that is why rustc must not inline it. The builder
//! lets LLVM inline whatever it chose.

use core::fmt::Debug;
use core::iter::Sum;
use core::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Rem, Sub, SubAssign};

use crate::kernel::Value;
use crate::warp::Shuffle;

macro_rules! functions {
    ($(fn $name:ident($($argument:ident: $ty:ty),*) -> $result:ty;)*) => {
        mod symbols {
            $(
                #[cfg_attr(
                    target_arch = "nvptx64",
                    unsafe(export_name = concat!("__lanewise_math_", stringify!($name))),
                    inline(never)
                )]
                pub(super) extern "C" fn $name($($argument: $ty),*) -> $result {
                    libm::$name($($argument),*)
                }
            )*
        }
    };
}

functions! {
    fn sinf(x: f32) -> f32;       fn sin(x: f64) -> f64;
    fn cosf(x: f32) -> f32;       fn cos(x: f64) -> f64;
    fn tanf(x: f32) -> f32;       fn tan(x: f64) -> f64;
    fn asinf(x: f32) -> f32;      fn asin(x: f64) -> f64;
    fn acosf(x: f32) -> f32;      fn acos(x: f64) -> f64;
    fn atanf(x: f32) -> f32;      fn atan(x: f64) -> f64;
    fn sinhf(x: f32) -> f32;      fn sinh(x: f64) -> f64;
    fn coshf(x: f32) -> f32;      fn cosh(x: f64) -> f64;
    fn tanhf(x: f32) -> f32;      fn tanh(x: f64) -> f64;
    fn asinhf(x: f32) -> f32;     fn asinh(x: f64) -> f64;
    fn acoshf(x: f32) -> f32;     fn acosh(x: f64) -> f64;
    fn atanhf(x: f32) -> f32;     fn atanh(x: f64) -> f64;
    fn expf(x: f32) -> f32;       fn exp(x: f64) -> f64;
    fn exp2f(x: f32) -> f32;      fn exp2(x: f64) -> f64;
    fn exp10f(x: f32) -> f32;     fn exp10(x: f64) -> f64;
    fn expm1f(x: f32) -> f32;     fn expm1(x: f64) -> f64;
    fn logf(x: f32) -> f32;       fn log(x: f64) -> f64;
    fn log2f(x: f32) -> f32;      fn log2(x: f64) -> f64;
    fn log10f(x: f32) -> f32;     fn log10(x: f64) -> f64;
    fn log1pf(x: f32) -> f32;     fn log1p(x: f64) -> f64;
    fn cbrtf(x: f32) -> f32;      fn cbrt(x: f64) -> f64;
    fn erff(x: f32) -> f32;       fn erf(x: f64) -> f64;
    fn erfcf(x: f32) -> f32;      fn erfc(x: f64) -> f64;
    fn tgammaf(x: f32) -> f32;    fn tgamma(x: f64) -> f64;
    fn lgammaf(x: f32) -> f32;    fn lgamma(x: f64) -> f64;
    fn powf(x: f32, y: f32) -> f32;     fn pow(x: f64, y: f64) -> f64;
    fn atan2f(y: f32, x: f32) -> f32;   fn atan2(y: f64, x: f64) -> f64;
    fn hypotf(x: f32, y: f32) -> f32;   fn hypot(x: f64, y: f64) -> f64;
}

/// A method, its description, and its symbols for `f32` and `f64`.
macro_rules! float {
    (
        library: $($(#[$doc:meta])* fn $method:ident(self $(, $argument:ident)?) = $single:ident, $double:ident;)*
        instructions: $($(#[$idoc:meta])* fn $imethod:ident(self $(, $iargument:ident)*)
            = $isingle:ident or $lsingle:ident, $idouble:ident or $ldouble:ident;)*
    ) => {
        /// A float of the machine, `f32` or `f64`: its arithmetic, and the functions that `std`
        /// has, by their names there. What a kernel over both types asks of a type is this trait
        /// alone; `T::from(0.5)` is a constant.
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
            $($(#[$doc])* #[must_use] fn $method(self $(, $argument: Self)?) -> Self;)*
            $($(#[$idoc])* #[must_use] fn $imethod(self $(, $iargument: Self)*) -> Self;)*
            /// `self` to a whole power.
            #[must_use]
            fn powi(self, n: i32) -> Self;
            /// The absolute value of this number.
            #[must_use]
            fn abs(self) -> Self;
            /// The lesser of the two; where one is NaN, the other.
            #[must_use]
            fn min(self, other: Self) -> Self;
            /// The greater of the two; where one is NaN, the other.
            #[must_use]
            fn max(self, other: Self) -> Self;
            /// This number with the sign of another.
            #[must_use]
            fn copysign(self, sign: Self) -> Self;
            /// One divided by this number.
            #[must_use]
            fn recip(self) -> Self;
            /// The sine and the cosine of this angle, in radians.
            #[must_use]
            fn sin_cos(self) -> (Self, Self) {
                (self.sin(), self.cos())
            }
        }

        float!(@impl f32 { $($method $single $($argument)?;)* } { $($imethod $isingle $lsingle $($iargument)*;)* });
        float!(@impl f64 { $($method $double $($argument)?;)* } { $($imethod $idouble $ldouble $($iargument)*;)* });
    };
    // What `core` has, for those who know no more of the type than this trait.
    (@core $float:ident $($method:ident($($argument:ident)?)),*) => {
        $(
            #[inline]
            fn $method(self $(, $argument: Self)?) -> Self {
                <$float>::$method(self $(, $argument)?)
            }
        )*
    };
    (@impl $float:ident { $($method:ident $symbol:ident $($argument:ident)?;)* }
        { $($imethod:ident $intrinsic:ident $library:ident $($iargument:ident)*;)* }) => {
        impl Float for $float {
            $(
                // Always, so that `#[fast_math]` on the caller sees the symbol.
                #[inline(always)]
                fn $method(self $(, $argument: Self)?) -> Self {
                    symbols::$symbol(self $(, $argument)?)
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
            #[inline]
            fn powi(self, n: i32) -> Self {
                // By the trait's name: on the host the method would be that of `std`.
                Float::powf(self, n as $float)
            }
        }
    };
}

float! {
    library:
    /// Sine of an angle in radians.
    fn sin(self) = sinf, sin;
    /// Cosine of an angle in radians.
    fn cos(self) = cosf, cos;
    /// Tangent of an angle in radians.
    fn tan(self) = tanf, tan;
    /// The angle, in radians, whose sine this is.
    fn asin(self) = asinf, asin;
    /// The angle, in radians, whose cosine this is.
    fn acos(self) = acosf, acos;
    /// The angle, in radians, whose tangent this is.
    fn atan(self) = atanf, atan;
    /// The angle of the point (`x`, `self`).
    fn atan2(self, x) = atan2f, atan2;
    /// The hyperbolic sine of this number.
    fn sinh(self) = sinhf, sinh;
    /// The hyperbolic cosine of this number.
    fn cosh(self) = coshf, cosh;
    /// The hyperbolic tangent of this number.
    fn tanh(self) = tanhf, tanh;
    /// The number whose hyperbolic sine this is.
    fn asinh(self) = asinhf, asinh;
    /// The number, not below zero, whose hyperbolic cosine this is.
    fn acosh(self) = acoshf, acosh;
    /// The number whose hyperbolic tangent this is.
    fn atanh(self) = atanhf, atanh;
    /// e to the power of `self`.
    fn exp(self) = expf, exp;
    /// 2 to the power of `self`.
    fn exp2(self) = exp2f, exp2;
    /// 10 to the power of `self`.
    fn exp10(self) = exp10f, exp10;
    /// e to the power of `self`, less one, accurate near zero.
    fn exp_m1(self) = expm1f, expm1;
    /// The natural logarithm of this number.
    fn ln(self) = logf, log;
    /// The logarithm of this number to base 2.
    fn log2(self) = log2f, log2;
    /// The logarithm of this number to base 10.
    fn log10(self) = log10f, log10;
    /// Natural logarithm of one plus `self`, accurate near zero.
    fn ln_1p(self) = log1pf, log1p;
    /// `self` to the power of `y`.
    fn powf(self, y) = powf, pow;
    /// The cube root of this number.
    fn cbrt(self) = cbrtf, cbrt;
    /// The distance of (`self`, `y`) from the origin.
    fn hypot(self, y) = hypotf, hypot;
    /// The error function of this number.
    fn erf(self) = erff, erf;
    /// One less the error function, accurate where that is small.
    fn erfc(self) = erfcf, erfc;
    /// The gamma function of this number.
    fn gamma(self) = tgammaf, tgamma;
    /// Logarithm of the gamma function's absolute value.
    fn ln_gamma(self) = lgammaf, lgamma;

    instructions:
    /// Square root, correctly rounded (unless the build says `--prec-sqrt off`).
    fn sqrt(self) = sqrtf32 or sqrtf, sqrtf64 or sqrt;
    /// `self * b + c`, rounded once.
    fn mul_add(self, b, c) = fmaf32 or fmaf, fmaf64 or fma;
    /// The largest whole number not above `self`.
    fn floor(self) = floorf32 or floorf, floorf64 or floor;
    /// The smallest whole number not below `self`.
    fn ceil(self) = ceilf32 or ceilf, ceilf64 or ceil;
    /// The whole part of this number, without what is behind the point.
    fn trunc(self) = truncf32 or truncf, truncf64 or trunc;
    /// The nearest whole number, halves away from zero.
    fn round(self) = roundf32 or roundf, roundf64 or round;
    /// The nearest whole number, halves to the even one.
    fn round_ties_even(self) = round_ties_even_f32 or rintf, round_ties_even_f64 or rint;
}
