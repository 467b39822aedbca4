//! `add`, `sub`, `mul`, `fma`, `neg`, `abs` on one f16 or bf16, with `.ftz`, `.sat`,
//! `.relu` and `.oob`.
//!
//! PTX ISA 9.7.4. Only `.rn` exists. `.relu` replaces a negative result (and -0) by zero
//! and keeps NaN.

use super::bits::{Half, sat_f16};
use crate::semantics::float::{canonical_f32, max_nan_f32};
use crate::semantics::odd::{add_odd, add_odd_f32, odd_f32};
use half::{bf16, f16};

/// `.relu`: a negative value becomes zero, and NaN stays.
#[inline(always)]
pub(super) fn relu<H: Half>(x: H) -> H {
    H::narrow(max_nan_f32(x.widen(), 0.0))
}

/// Returns the result of `add.rn.f16`.
#[inline(always)]
pub(crate) fn add_rn_f16(a: f16, b: f16) -> f16 {
    f16::narrow(a.widen() + b.widen())
}

/// Returns the result of `sub.rn.f16`.
#[inline(always)]
pub(crate) fn sub_rn_f16(a: f16, b: f16) -> f16 {
    f16::narrow(a.widen() - b.widen())
}

/// Returns the result of `mul.rn.f16`.
#[inline(always)]
pub(crate) fn mul_rn_f16(a: f16, b: f16) -> f16 {
    f16::narrow(a.widen() * b.widen()) // the product is exact in f32
}

/// `fma.rn.f16`: a * b + c, rounded once.
#[inline(always)]
pub(crate) fn fma_rn_f16(a: f16, b: f16, c: f16) -> f16 {
    f16::narrow(add_odd_f32(a.widen() * b.widen(), c.widen()))
}

/// Rounds a result that is exact, or rounded to odd, to f16 with `.ftz`. As for f32, a result is
/// flushed if it is below the smallest normal number when rounded with an unlimited exponent range
/// (measured on an H200 over 2^20 products).
#[inline(always)]
fn narrow_flush(x: f32) -> f16 {
    let result = f16::narrow(x);
    let scaled = f16::narrow(x * 1024.0).to_bits() & 0x7fff; // its smallest normal number is then 2^-4
    f16::from_bits(if scaled < 0x2c00 {
        result.to_bits() & 0x8000
    } else {
        result.to_bits()
    })
}

#[inline(always)]
fn add_flush(a: f16, b: f16) -> f16 {
    narrow_flush(a.widen() + b.widen())
}

#[inline(always)]
fn sub_flush(a: f16, b: f16) -> f16 {
    narrow_flush(a.widen() - b.widen())
}

#[inline(always)]
fn mul_flush(a: f16, b: f16) -> f16 {
    narrow_flush(a.widen() * b.widen())
}

#[inline(always)]
fn fma_flush(a: f16, b: f16, c: f16) -> f16 {
    narrow_flush(add_odd_f32(a.widen() * b.widen(), c.widen()))
}

/// Defines the forms of an f16 operation with `.ftz`, `.sat` and both.
macro_rules! ftz_and_sat_f16 {
    ($($name:ident($($x:ident),+) = $wide:ident => $ftz:ident, $sat:ident, $ftz_sat:ident);+ $(;)?) => {$(
        #[doc = concat!("[`", stringify!($name), "`] with `.ftz`.")]
        #[inline(always)]
        pub(crate) fn $ftz($($x: f16),+) -> f16 {
            $wide($($x.flush()),+)
        }

        #[doc = concat!("[`", stringify!($name), "`] with `.sat`.")]
        #[inline(always)]
        pub(crate) fn $sat($($x: f16),+) -> f16 {
            sat_f16($name($($x),+))
        }

        #[doc = concat!("[`", stringify!($name), "`] with `.ftz` and `.sat`.")]
        #[inline(always)]
        pub(crate) fn $ftz_sat($($x: f16),+) -> f16 {
            sat_f16($ftz($($x),+))
        }
    )+};
}

ftz_and_sat_f16! {
    add_rn_f16(a, b) = add_flush => add_rn_ftz_f16, add_rn_sat_f16, add_rn_ftz_sat_f16;
    sub_rn_f16(a, b) = sub_flush => sub_rn_ftz_f16, sub_rn_sat_f16, sub_rn_ftz_sat_f16;
    mul_rn_f16(a, b) = mul_flush => mul_rn_ftz_f16, mul_rn_sat_f16, mul_rn_ftz_sat_f16;
    fma_rn_f16(a, b, c) = fma_flush => fma_rn_ftz_f16, fma_rn_sat_f16, fma_rn_ftz_sat_f16;
}

/// Returns the result of `fma.rn.relu.f16`.
#[inline(always)]
pub(crate) fn fma_rn_relu_f16(a: f16, b: f16, c: f16) -> f16 {
    relu(fma_rn_f16(a, b, c))
}

/// Returns the result of `fma.rn.ftz.relu.f16`.
#[inline(always)]
pub(crate) fn fma_rn_ftz_relu_f16(a: f16, b: f16, c: f16) -> f16 {
    relu(fma_rn_ftz_f16(a, b, c))
}

/// Returns the result of `add.rn.bf16`.
#[inline(always)]
pub(crate) fn add_rn_bf16(a: bf16, b: bf16) -> bf16 {
    bf16::narrow(a.widen() + b.widen())
}

/// Returns the result of `sub.rn.bf16`.
#[inline(always)]
pub(crate) fn sub_rn_bf16(a: bf16, b: bf16) -> bf16 {
    bf16::narrow(a.widen() - b.widen())
}

/// Returns the result of `mul.rn.bf16`.
#[inline(always)]
pub(crate) fn mul_rn_bf16(a: bf16, b: bf16) -> bf16 {
    // The product is exact in f64. In f32, a subnormal product would be rounded twice.
    bf16::narrow(odd_f32(f64::from(a.widen()) * f64::from(b.widen())))
}

/// The NaN that marks an element as out of bounds, with any sign, for f16 and for bf16. The ISA
/// does not define it. It is the only NaN that an H200 treats in this way (2026-11-21).
pub(crate) const OUT_OF_BOUNDS: u16 = 0x7ff7;

/// `fma.oob`: zero if a or b is marked as out of bounds, else the product and sum. c is ignored, as
/// measured on an H200.
#[inline(always)]
fn or_zero<H: Half>(factors: [u16; 2], result: H) -> H {
    if factors.iter().any(|bits| bits & 0x7fff == OUT_OF_BOUNDS) {
        H::narrow(0.0)
    } else {
        result
    }
}

/// Returns the result of `fma.rn.oob.f16`.
#[inline(always)]
pub(crate) fn fma_rn_oob_f16(a: f16, b: f16, c: f16) -> f16 {
    or_zero([a.to_bits(), b.to_bits()], fma_rn_f16(a, b, c))
}

/// Returns the result of `fma.rn.oob.relu.f16`.
#[inline(always)]
pub(crate) fn fma_rn_oob_relu_f16(a: f16, b: f16, c: f16) -> f16 {
    or_zero([a.to_bits(), b.to_bits()], fma_rn_relu_f16(a, b, c))
}

/// Returns the result of `fma.rn.oob.bf16`.
#[inline(always)]
pub(crate) fn fma_rn_oob_bf16(a: bf16, b: bf16, c: bf16) -> bf16 {
    or_zero([a.to_bits(), b.to_bits()], fma_rn_bf16(a, b, c))
}

/// Returns the result of `fma.rn.oob.relu.bf16`.
#[inline(always)]
pub(crate) fn fma_rn_oob_relu_bf16(a: bf16, b: bf16, c: bf16) -> bf16 {
    or_zero([a.to_bits(), b.to_bits()], fma_rn_relu_bf16(a, b, c))
}

/// `fma.rn.bf16`: a * b + c, rounded once.
#[inline(always)]
pub(crate) fn fma_rn_bf16(a: bf16, b: bf16, c: bf16) -> bf16 {
    let product = f64::from(a.widen()) * f64::from(b.widen());
    bf16::narrow(odd_f32(add_odd(product, c.widen().into())))
}

/// Returns the result of `fma.rn.relu.bf16`.
#[inline(always)]
pub(crate) fn fma_rn_relu_bf16(a: bf16, b: bf16, c: bf16) -> bf16 {
    relu(fma_rn_bf16(a, b, c))
}

typed! {
    /// `neg`: flips the sign. A NaN becomes the only NaN of the type.
    |a| T::narrow(-canonical_f32(a.widen()));
    neg_f16: f16, neg_bf16: bf16,
}

typed! {
    /// `abs`: clears the sign. A NaN becomes the only NaN of the type.
    |a| T::narrow(a.widen().abs());
    abs_f16: f16, abs_bf16: bf16,
}

/// Returns the result of `neg.ftz.f16`.
#[inline(always)]
pub(crate) fn neg_ftz_f16(a: f16) -> f16 {
    neg_f16(a.flush())
}

/// Returns the result of `abs.ftz.f16`.
#[inline(always)]
pub(crate) fn abs_ftz_f16(a: f16) -> f16 {
    abs_f16(a.flush())
}
