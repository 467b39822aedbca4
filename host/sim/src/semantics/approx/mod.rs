//! `.approx` and `.full`: operations for which the ISA defines a bound of the error, but not every
//! bit of the result.
//!
//! PTX ISA 9.7.3 (f32, f64) and 9.7.4 (f16, bf16). Open in the ISA: everything within the bound.
//! Here a result is the exact one rounded to nearest, except in cases that are too close to a tie
//! for f64 arithmetic. So it is within every bound, and a GPU's result differs from it by at most
//! that bound: 2 ulp for `div`, `ex2`; 1 ulp for `rcp`; relative 2^-22.9 for `rsqrt`, 2^-23 for
//! `sqrt`, 2^-11 for `tanh`; absolute 2^-20.5 for `sin` and `cos` in [-2pi, 2pi]; absolute 2^-22
//! for `lg2` in (0.5, 2), relative 2^-22 elsewhere. Special cases are as measured on an H200. A NaN
//! result is the NaN of its type.

mod divide;
mod double;
mod exponential;
mod half;
mod trigonometric;

pub(crate) use divide::*;
pub(crate) use double::*;
pub(crate) use exponential::*;
pub(crate) use half::*;
pub(crate) use trigonometric::*;
