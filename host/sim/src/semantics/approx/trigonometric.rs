//! `sin.approx`, `cos.approx` on f32.
//!
//! PTX ISA 9.7.3. The ISA bounds the error in [-100pi, 100pi] only. Here the computation is in
//! f64 without branches, so that loops over lanes become vector code. The nearest multiple of
//! pi/2 is subtracted by two fused multiplications (W. J. Cody and W. Waite, "Software Manual for
//! the Elementary Functions", 1980; with 106 bits of pi/2 the lost part is below 2^-55). Short
//! series give sine and cosine of the rest. The result is the nearest f32, except for about one
//! value in a million.
//!
//! Open in the ISA: an operand above 2^50, which counts as a multiple of 2pi here. An infinity
//! gives NaN (measured).

use crate::semantics::float::ftz_f32;
use crate::semantics::float::nan::NAN_F32;
use std::f64::consts::{FRAC_2_PI, FRAC_PI_2};

/// The difference between pi/2 and its f64 value.
const FRAC_PI_2_REST: f64 = 6.123_233_995_736_766e-17;

/// Returns the operand as a number of quarter turns, of which the lowest two bits are used, and a
/// rest of at most an eighth.
#[inline(always)]
fn reduce(x: f64) -> (u64, f64) {
    let x = if x.abs() < 1_125_899_906_842_624.0 {
        x
    } else {
        0.0
    };
    // Split into a whole number and a rest: adding 1.5 * 2^52 leaves the whole number in
    // the low digits.
    const SHIFT: f64 = 6_755_399_441_055_744.0;
    let shifted = x * FRAC_2_PI + SHIFT;
    let turns = shifted - SHIFT;
    let near = (-turns).mul_add(FRAC_PI_2, x);
    (shifted.to_bits(), (-turns).mul_add(FRAC_PI_2_REST, near))
}

/// Returns the sum of coefficients times powers of `square`. The last coefficient comes first.
#[inline(always)]
fn series<const N: usize>(square: f64, coefficients: [f64; N]) -> f64 {
    let mut sum = 0.0;
    for coefficient in coefficients {
        sum = sum * square + coefficient;
    }
    sum
}

/// Returns the sine of `turns` quarter turns plus `rest`.
#[inline(always)]
fn sine(turns: u64, rest: f64) -> f64 {
    let square = rest * rest;
    // Up to 1 / 15! and 1 / 16!. The remaining terms are below 2^-50.
    let odd = rest
        * series(
            square,
            [
                -7.647_163_731_819_816e-13,
                1.605_904_383_682_161_5e-10,
                -2.505_210_838_544_172e-8,
                2.755_731_922_398_589e-6,
                -1.984_126_984_126_984e-4,
                8.333_333_333_333_333e-3,
                -0.166_666_666_666_666_66,
                1.0,
            ],
        );
    let even = series(
        square,
        [
            4.779_477_332_387_385e-14,
            -1.147_074_559_772_972_5e-11,
            2.087_675_698_786_81e-9,
            -2.755_731_922_398_589_3e-7,
            2.480_158_730_158_73e-5,
            -1.388_888_888_888_889e-3,
            4.166_666_666_666_666_4e-2,
            -0.5,
            1.0,
        ],
    );
    let magnitude = if turns & 1 == 0 { odd } else { even };
    if turns & 2 == 0 {
        magnitude
    } else {
        -magnitude
    }
}

/// `sin.approx.f32`. The result for ±0 is the same zero.
#[inline(always)]
pub(crate) fn sin_approx_f32(a: f32) -> f32 {
    let (turns, rest) = reduce(a.into());
    let finite = sine(turns, rest) as f32;
    if a.is_finite() { finite } else { NAN_F32 }
}

/// Returns the result of `cos.approx.f32`.
#[inline(always)]
pub(crate) fn cos_approx_f32(a: f32) -> f32 {
    let (turns, rest) = reduce(a.into());
    let finite = sine(turns.wrapping_add(1), rest) as f32;
    if a.is_finite() { finite } else { NAN_F32 }
}

ftz! {
    sin_approx_f32(a) => sin_approx_ftz_f32;
    cos_approx_f32(a) => cos_approx_ftz_f32;
}
