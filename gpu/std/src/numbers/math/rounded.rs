//! Arithmetic functions whose names contain the rounding mode.

use crate::intrinsics;

macro_rules! operations {
    ($($(#[$doc:meta])* fn $name:ident($($argument:ident),*) = $single:ident, $double:ident;)*) => {
        /// A float whose operations can be rounded in every mode.
        pub trait Rounded: Copy + core::ops::Neg<Output = Self> {
            $(#[doc(hidden)] fn $name($($argument: Self),*) -> Self;)*
        }

        impl Rounded for f32 {
            $(#[inline] fn $name($($argument: Self),*) -> Self {
                // SAFETY: the intrinsic is defined for every float.
                unsafe { intrinsics::$single($($argument),*) }
            })*
        }

        impl Rounded for f64 {
            $(#[inline] fn $name($($argument: Self),*) -> Self {
                // SAFETY: the intrinsic is defined for every float.
                unsafe { intrinsics::$double($($argument),*) }
            })*
        }

        $($(#[$doc])* #[inline] #[must_use] pub fn $name<T: Rounded>($($argument: T),*) -> T {
            T::$name($($argument),*)
        })*
    };
}

operations! {
    /// Returns the sum of `a` and `b`, rounded to nearest, with ties to even.
    fn add_rn(a, b) = add_rn_f, add_rn_d;
    /// Returns the sum of `a` and `b`, rounded towards zero.
    fn add_rz(a, b) = add_rz_f, add_rz_d;
    /// Returns the sum of `a` and `b`, rounded up.
    fn add_ru(a, b) = add_rp_f, add_rp_d;
    /// Returns the sum of `a` and `b`, rounded down.
    fn add_rd(a, b) = add_rm_f, add_rm_d;
    /// Returns the product of `a` and `b`, rounded to nearest, with ties to even.
    fn mul_rn(a, b) = mul_rn_f, mul_rn_d;
    /// Returns the product of `a` and `b`, rounded towards zero.
    fn mul_rz(a, b) = mul_rz_f, mul_rz_d;
    /// Returns the product of `a` and `b`, rounded up.
    fn mul_ru(a, b) = mul_rp_f, mul_rp_d;
    /// Returns the product of `a` and `b`, rounded down.
    fn mul_rd(a, b) = mul_rm_f, mul_rm_d;
    /// Returns `a * b + c`, rounded once, to nearest, with ties to even.
    fn fma_rn(a, b, c) = fma_rn_f, fma_rn_d;
    /// Returns `a * b + c`, rounded once, towards zero.
    fn fma_rz(a, b, c) = fma_rz_f, fma_rz_d;
    /// Returns `a * b + c`, rounded once, up.
    fn fma_ru(a, b, c) = fma_rp_f, fma_rp_d;
    /// Returns `a * b + c`, rounded once, down.
    fn fma_rd(a, b, c) = fma_rm_f, fma_rm_d;
    /// Returns the quotient of `a` and `b`, rounded to nearest, with ties to even.
    fn div_rn(a, b) = div_rn_f, div_rn_d;
    /// Returns the quotient of `a` and `b`, rounded towards zero.
    fn div_rz(a, b) = div_rz_f, div_rz_d;
    /// Returns the quotient of `a` and `b`, rounded up.
    fn div_ru(a, b) = div_rp_f, div_rp_d;
    /// Returns the quotient of `a` and `b`, rounded down.
    fn div_rd(a, b) = div_rm_f, div_rm_d;
    /// Returns the square root of `a`, rounded to nearest, with ties to even.
    fn sqrt_rn(a) = sqrt_rn_f, sqrt_rn_d;
    /// Returns the square root of `a`, rounded towards zero.
    fn sqrt_rz(a) = sqrt_rz_f, sqrt_rz_d;
    /// Returns the square root of `a`, rounded up.
    fn sqrt_ru(a) = sqrt_rp_f, sqrt_rp_d;
    /// Returns the square root of `a`, rounded down.
    fn sqrt_rd(a) = sqrt_rm_f, sqrt_rm_d;
    /// Returns the reciprocal of `a`, rounded to nearest, with ties to even.
    fn rcp_rn(a) = rcp_rn_f, rcp_rn_d;
    /// Returns the reciprocal of `a`, rounded towards zero.
    fn rcp_rz(a) = rcp_rz_f, rcp_rz_d;
    /// Returns the reciprocal of `a`, rounded up.
    fn rcp_ru(a) = rcp_rp_f, rcp_rp_d;
    /// Returns the reciprocal of `a`, rounded down.
    fn rcp_rd(a) = rcp_rm_f, rcp_rm_d;
}

macro_rules! differences {
    ($($(#[$doc:meta])* fn $name:ident = $sum:ident;)*) => {
        $($(#[$doc])* #[inline] #[must_use] pub fn $name<T: Rounded>(a: T, b: T) -> T {
            $sum(a, -b)
        })*
    };
}

// PTX has a subtraction, but the sum with the negated operand gives the same result.
differences! {
    /// Returns the difference of `a` and `b`, rounded to nearest, with ties to even.
    fn sub_rn = add_rn;
    /// Returns the difference of `a` and `b`, rounded towards zero.
    fn sub_rz = add_rz;
    /// Returns the difference of `a` and `b`, rounded up.
    fn sub_ru = add_ru;
    /// Returns the difference of `a` and `b`, rounded down.
    fn sub_rd = add_rd;
}
