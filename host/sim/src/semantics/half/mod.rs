//! Half precision: `.f16`, `.bf16` and packed pairs of them.
//!
//! PTX ISA 9.7.4 "Half Precision Floating-Point Instructions". Each operation is computed in f32
//! (or in f64, if the product of two bf16 needs its range) and rounded once. That is correct
//! because the wide result is exact, or has twice the digits plus two (Figueroa, "When is double
//! rounding innocuous?", 1995), or was rounded to odd. Both types have subnormals.
//!
//! Open in the ISA: a NaN result. It is `0x7fff` in both types, as measured on an H200 for f16 and
//! assumed for bf16. `neg` and `abs` have the same NaN, as for f32.

mod arithmetic;
pub(crate) mod bits;
mod compare;
mod extremes;
mod packed;

pub(crate) use arithmetic::*;
pub(crate) use bits::{cvt_f32_bf16, cvt_f32_f16, cvt_rn_bf16_f32, cvt_rn_f16_f32, sat_f16};
pub(crate) use compare::*;
pub(crate) use extremes::*;
pub(crate) use packed::*;
