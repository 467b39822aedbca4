//! One operation per call, on three columns of numbers. An argument selects the operation, so that
//! one kernel serves a whole family.
#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx))]

use lanewise_macros::{fast_math, kernel, no_fma};
use lanewise_std::half::{Bf16, Bf16x2, F16, F16x2};
use lanewise_std::math::{self, Float, ulp};
use lanewise_std::{DisjointSlice, fast, thread};

lanewise_std::module!();
// The same kernels with other options, from build.rs.
lanewise_std::module!(FastMath);
lanewise_std::module!(NoFmad);
lanewise_std::module!(Ftz);
lanewise_std::module!(NoPrecDiv);
lanewise_std::module!(NoPrecSqrt);

/// A kernel that applies the operation with the number `operation` to each row, and the list of
/// the operations' names.
macro_rules! family {
    ($(#[$doc:meta])* $kernel:ident, $names:ident, $ty:ident, |$a:ident, $b:ident, $c:ident| { $($name:ident: $value:expr,)* }) => {
        $(#[$doc])*
        #[kernel]
        pub fn $kernel(operation: u32, a: &[$ty], b: &[$ty], c: &[$ty], mut output: DisjointSlice<$ty>) {
            let index = thread::index_1d();
            let at = index.get();
            let (Some(&$a), Some(&$b), Some(&$c), Some(output)) = (a.get(at), b.get(at), c.get(at), output.get_mut(&index)) else {
                return;
            };
            let _ = ($b, $c);
            let mut number = 0;
            $(
                if operation == number {
                    *output = $value;
                }
                number += 1;
            )*
            let _ = number;
        }

        /// The kernel's operations, in the order of their numbers.
        pub const $names: &[&str] = &[$(stringify!($name)),*];
    };
}

macro_rules! rounded {
    ($(#[$doc:meta])* $kernel:ident, $names:ident, $ty:ident) => {
        family! {
            $(#[$doc])*
            $kernel, $names, $ty, |a, b, c| {
                add_rn: math::add_rn(a, b),
                add_rz: math::add_rz(a, b),
                add_ru: math::add_ru(a, b),
                add_rd: math::add_rd(a, b),
                sub_rn: math::sub_rn(a, b),
                sub_rz: math::sub_rz(a, b),
                sub_ru: math::sub_ru(a, b),
                sub_rd: math::sub_rd(a, b),
                mul_rn: math::mul_rn(a, b),
                mul_rz: math::mul_rz(a, b),
                mul_ru: math::mul_ru(a, b),
                mul_rd: math::mul_rd(a, b),
                div_rn: math::div_rn(a, b),
                div_rz: math::div_rz(a, b),
                div_ru: math::div_ru(a, b),
                div_rd: math::div_rd(a, b),
                fma_rn: math::fma_rn(a, b, c),
                fma_rz: math::fma_rz(a, b, c),
                fma_ru: math::fma_ru(a, b, c),
                fma_rd: math::fma_rd(a, b, c),
                sqrt_rn: math::sqrt_rn(a),
                sqrt_rz: math::sqrt_rz(a),
                sqrt_ru: math::sqrt_ru(a),
                sqrt_rd: math::sqrt_rd(a),
                rcp_rn: math::rcp_rn(a),
                rcp_rz: math::rcp_rz(a),
                rcp_ru: math::rcp_ru(a),
                rcp_rd: math::rcp_rd(a),
            }
        }
    };
}

rounded! {
    /// Arithmetic of `f32` with the rounding in the name.
    rounded_f32, ROUNDED_F32, f32
}
rounded! {
    /// Arithmetic of `f64` with the rounding in the name.
    rounded_f64, ROUNDED_F64, f64
}

family! {
    /// The machine's approximations.
    approximate, APPROXIMATE, f32, |a, b, c| {
        sin: fast::sin(a),
        cos: fast::cos(a),
        tan: fast::tan(a),
        exp: fast::exp(a),
        exp2: fast::exp2(a),
        exp10: fast::exp10(a),
        log: fast::log(a),
        log2: fast::log2(a),
        log10: fast::log10(a),
        pow: fast::pow(a, b),
        sqrt: fast::sqrt(a),
        rsqrt: fast::rsqrt(a),
        div: fast::div(a, b),
        tanh: fast::tanh(a),
        sin_and_cos: fast::sin_cos(a).0 + fast::sin_cos(b).1,
        exp2_f16: F16::from_f32(a).fast_exp2().to_f32(),
        tanh_f16: F16::from_f32(a).fast_tanh().to_f32(),
        exp2_bf16: Bf16::from_f32(a).fast_exp2().to_f32(),
        tanh_bf16: Bf16::from_f32(a).fast_tanh().to_f32(),
        exp2_f16x2: F16x2::splat(F16::from_f32(a)).fast_exp2().high.to_f32(),
        tanh_f16x2: F16x2::splat(F16::from_f32(a)).fast_tanh().low.to_f32(),
        exp2_bf16x2: Bf16x2::splat(Bf16::from_f32(a)).fast_exp2().low.to_f32(),
        tanh_bf16x2: Bf16x2::splat(Bf16::from_f32(a)).fast_tanh().high.to_f32(),
    }
}

macro_rules! library {
    ($(#[$doc:meta])* $kernel:ident, $names:ident, $ty:ident) => {
        family! {
            $(#[$doc])*
            $kernel, $names, $ty, |a, b, c| {
                sin: a.sin(),
                cos: a.cos(),
                tan: a.tan(),
                asin: a.asin(),
                acos: a.acos(),
                atan: a.atan(),
                atan2: a.atan2(b),
                sinh: a.sinh(),
                cosh: a.cosh(),
                tanh: a.tanh(),
                asinh: a.asinh(),
                acosh: a.acosh(),
                atanh: a.atanh(),
                exp: a.exp(),
                exp2: a.exp2(),
                exp10: a.exp10(),
                exp_m1: a.exp_m1(),
                ln: a.ln(),
                log2: a.log2(),
                log10: a.log10(),
                ln_1p: a.ln_1p(),
                powf: a.powf(b),
                rsqrt: a.rsqrt(),
                cbrt: a.cbrt(),
                rcbrt: a.rcbrt(),
                sin_pi: a.sin_pi(),
                cos_pi: a.cos_pi(),
                erf: Float::erf(a),
                erfc: Float::erfc(a),
                erfcx: Float::erfcx(a),
                erf_inv: Float::erf_inv(a),
                erfc_inv: Float::erfc_inv(a),
                norm_cdf: Float::norm_cdf(a),
                norm_cdf_inv: Float::norm_cdf_inv(a),
                gamma: Float::gamma(a),
                ln_gamma: Float::ln_gamma(a),
                powi: a.powi(3),
                sin_of_pair: a.sin_cos().0,
                cos_of_pair: a.sin_cos().1,
                sin_pi_of_pair: a.sin_cos_pi().0,
                cos_pi_of_pair: a.sin_cos_pi().1,
                hypot: a.hypot(b),
                rhypot: a.rhypot(b),
                norm3d: a.norm3d(b, c),
                rnorm3d: a.rnorm3d(b, c),
                norm4d: a.norm4d(b, c, a),
                rnorm4d: a.rnorm4d(b, c, a),
                norm: math::norm(&[a, b, c]),
                rnorm: math::rnorm(&[a, b, c]),
                j0: a.j0(),
                j1: a.j1(),
                y0: a.y0(),
                y1: a.y1(),
                jn: a.jn(5),
                yn: a.yn(5),
                cyl_bessel_i0: a.cyl_bessel_i0(),
                cyl_bessel_i1: a.cyl_bessel_i1(),
                sqrt: a.sqrt(),
                mul_add: a.mul_add(b, c),
            }
        }
    };
}

library! {
    /// The functions of `lanewise_std::math` for `f32`.
    #[cfg(not(feature = "plain-alone"))]
    library_f32, LIBRARY_F32, f32
}
library! {
    /// The functions of `lanewise_std::math` for `f64`.
    #[cfg(not(feature = "plain-alone"))]
    library_f64, LIBRARY_F64, f64
}

macro_rules! parts {
    ($(#[$doc:meta])* $kernel:ident, $names:ident, $ty:ident) => {
        family! {
            $(#[$doc])*
            $kernel, $names, $ty, |a, b, c| {
                ldexp: a.ldexp(b as i32),
                fraction: a.frexp().0,
                exponent: a.frexp().1 as $ty,
                logb: a.logb(),
                ilogb: a.ilogb() as $ty,
                next_after: a.next_after(b),
                fdim: a.fdim(b),
                rem: a % b,
                remainder: a.remainder(b),
                remquo: a.remquo(b).1 as $ty,
                modf: a.modf().0,
                whole: a.modf().1,
            }
        }
    };
}

parts! {
    /// The functions of `f32` that are exact.
    #[cfg(not(feature = "plain-alone"))]
    parts_f32, PARTS_F32, f32
}
parts! {
    /// The functions of `f64` that are exact.
    #[cfg(not(feature = "plain-alone"))]
    parts_f64, PARTS_F64, f64
}

macro_rules! errors {
    ($($name:ident)*) => {
        /// Writes, for each thread, the largest error of a function of `f32` over `each`
        /// arguments, and the argument's bits: the error as an `f32` in the upper half. The true
        /// value is that of the function of `f64`, and `beyond` is the unit of errors for
        /// arguments from 8 on, if it is not zero. Arguments from `left` to `right` are left out.
        #[cfg(not(feature = "plain-alone"))]
        #[kernel]
        pub fn errors(function: u32, each: u32, beyond: f64, left: f32, right: f32, mut worst: DisjointSlice<u64>) {
            let index = thread::index_1d();
            let Some(worst) = worst.get_mut(&index) else {
                return;
            };
            let first = (index.get() as u32).wrapping_mul(each);
            let mut most = 0;
            for number in first..first.wrapping_add(each) {
                // An odd factor gives each argument once, and spreads a few of them evenly.
                let x = f32::from_bits(number.wrapping_mul(0x9e37_79b1));
                if (left..=right).contains(&x) {
                    continue;
                }
                let (mut found, mut truth, mut at) = (0.0, 0.0, 0);
                $(
                    if function == at {
                        (found, truth) = (Float::$name(x), Float::$name(f64::from(x)));
                    }
                    at += 1;
                )*
                let _ = at;
                let is_beyond = beyond > 0.0 && x.abs() >= 8.0;
                let unit = if is_beyond { beyond } else { ulp::unit_f32(truth) };
                let error = ulp::error(found.into(), truth, unit, f32::MAX.into()) as f32;
                most = u64::max(most, u64::from(error.to_bits()) << 32 | u64::from(x.to_bits()));
            }
            *worst = most;
        }

        /// The functions of [`errors`], in the order of their numbers.
        pub const ERRORS: &[&str] = &[$(stringify!($name)),*];
    };
}

errors! {
    exp exp2 exp10 exp_m1 ln log2 log10 ln_1p rsqrt cbrt rcbrt sin cos tan sin_pi cos_pi asin acos atan sinh cosh tanh
    asinh acosh atanh erf erfc erfcx erf_inv erfc_inv norm_cdf norm_cdf_inv gamma ln_gamma j0 j1 y0 y1 cyl_bessel_i0
    cyl_bessel_i1
}

/// A fast quotient, whatever the build's options are.
#[fast_math]
fn quotient_fast(a: f32, b: f32) -> f32 {
    a / b
}

/// A product and a sum, each rounded, whatever the build's options are.
#[no_fma]
fn product_sum_apart(a: f32, b: f32, c: f32) -> f32 {
    a * b + c
}

family! {
    /// Plain Rust, which the build's options change.
    plain, PLAIN, f32, |a, b, c| {
        sum: a + b,
        product: a * b,
        quotient: a / b,
        root: Float::sqrt(a),
        product_sum: a * b + c,
        sine: Float::sin(a),
        exponential: Float::exp(a),
        quotient_fast: quotient_fast(a, b),
        product_sum_apart: product_sum_apart(a, b, c),
    }
}
