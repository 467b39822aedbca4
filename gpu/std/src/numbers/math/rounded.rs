//! Arithmetic with the rounding in the name.

use crate::intrinsics;

macro_rules! operations {
    ($($(#[$doc:meta])* fn $name:ident($($argument:ident),*) = $single:ident, $double:ident;)*) => {
        /// A float whose operations can be rounded in every mode.
        pub trait Rounded: Copy + core::ops::Neg<Output = Self> {
            $(#[doc(hidden)] fn $name($($argument: Self),*) -> Self;)*
        }

        impl Rounded for f32 {
            $(#[inline] fn $name($($argument: Self),*) -> Self {
                // SAFETY: defined for every float.
                unsafe { intrinsics::$single($($argument),*) }
            })*
        }

        impl Rounded for f64 {
            $(#[inline] fn $name($($argument: Self),*) -> Self {
                // SAFETY: defined for every float.
                unsafe { intrinsics::$double($($argument),*) }
            })*
        }

        $($(#[$doc])* #[inline] #[must_use] pub fn $name<T: Rounded>($($argument: T),*) -> T {
            T::$name($($argument),*)
        })*
    };
}

operations! {
    /// The sum of `a` and `b`, to the nearest, ties to even.
    fn add_rn(a, b) = add_rn_f, add_rn_d;
    /// The sum of `a` and `b`, towards zero.
    fn add_rz(a, b) = add_rz_f, add_rz_d;
    /// The sum of `a` and `b`, up.
    fn add_ru(a, b) = add_rp_f, add_rp_d;
    /// The sum of `a` and `b`, down.
    fn add_rd(a, b) = add_rm_f, add_rm_d;
    /// The product of `a` and `b`, to the nearest, ties to even.
    fn mul_rn(a, b) = mul_rn_f, mul_rn_d;
    /// The product of `a` and `b`, towards zero.
    fn mul_rz(a, b) = mul_rz_f, mul_rz_d;
    /// The product of `a` and `b`, up.
    fn mul_ru(a, b) = mul_rp_f, mul_rp_d;
    /// The product of `a` and `b`, down.
    fn mul_rd(a, b) = mul_rm_f, mul_rm_d;
    /// `a * b + c`, rounded once, to the nearest, ties to even.
    fn fma_rn(a, b, c) = fma_rn_f, fma_rn_d;
    /// `a * b + c`, rounded once, towards zero.
    fn fma_rz(a, b, c) = fma_rz_f, fma_rz_d;
    /// `a * b + c`, rounded once, up.
    fn fma_ru(a, b, c) = fma_rp_f, fma_rp_d;
    /// `a * b + c`, rounded once, down.
    fn fma_rd(a, b, c) = fma_rm_f, fma_rm_d;
    /// The quotient of `a` and `b`, to the nearest, ties to even.
    fn div_rn(a, b) = div_rn_f, div_rn_d;
    /// The quotient of `a` and `b`, towards zero.
    fn div_rz(a, b) = div_rz_f, div_rz_d;
    /// The quotient of `a` and `b`, up.
    fn div_ru(a, b) = div_rp_f, div_rp_d;
    /// The quotient of `a` and `b`, down.
    fn div_rd(a, b) = div_rm_f, div_rm_d;
    /// The square root of `a`, to the nearest, ties to even.
    fn sqrt_rn(a) = sqrt_rn_f, sqrt_rn_d;
    /// The square root of `a`, towards zero.
    fn sqrt_rz(a) = sqrt_rz_f, sqrt_rz_d;
    /// The square root of `a`, up.
    fn sqrt_ru(a) = sqrt_rp_f, sqrt_rp_d;
    /// The square root of `a`, down.
    fn sqrt_rd(a) = sqrt_rm_f, sqrt_rm_d;
    /// The reciprocal of `a`, to the nearest, ties to even.
    fn rcp_rn(a) = rcp_rn_f, rcp_rn_d;
    /// The reciprocal of `a`, towards zero.
    fn rcp_rz(a) = rcp_rz_f, rcp_rz_d;
    /// The reciprocal of `a`, up.
    fn rcp_ru(a) = rcp_rp_f, rcp_rp_d;
    /// The reciprocal of `a`, down.
    fn rcp_rd(a) = rcp_rm_f, rcp_rm_d;
}

macro_rules! differences {
    ($($(#[$doc:meta])* fn $name:ident = $sum:ident;)*) => {
        $($(#[$doc])* #[inline] #[must_use] pub fn $name<T: Rounded>(a: T, b: T) -> T {
            $sum(a, -b)
        })*
    };
}

// PTX has a subtraction; the sum with the negated operand is the same.
differences! {
    /// The difference of `a` and `b`, to the nearest, ties to even.
    fn sub_rn = add_rn;
    /// The difference of `a` and `b`, towards zero.
    fn sub_rz = add_rz;
    /// The difference of `a` and `b`, up.
    fn sub_ru = add_ru;
    /// The difference of `a` and `b`, down.
    fn sub_rd = add_rd;
}
