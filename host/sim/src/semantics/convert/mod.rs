//! `cvt`: conversions between types.
//!
//! PTX ISA 9.7.9 "Data Movement and Conversion Instructions: cvt". A function has the name of its
//! rounding and takes the types in the instruction's order, destination first: `cvt.rzi.s32.f32` is
//! `cvt_rzi::<i32, f32>`. `.ftz` is [`crate::semantics::float::ftz_f32`] on the f32 side. `.sat` to
//! a float is [`crate::semantics::float::sat_f32`]. An integer that is narrower than its register
//! is extended by its sign (measured: `cvt.rzi.s8.f32` of -300 leaves 0xffffff80). The code that
//! writes registers does that.

mod integer;
mod narrow;
mod pack;
mod stochastic;
mod tensor;
mod to_integer;
mod wide;

pub(crate) use integer::*;
pub(crate) use narrow::*;
pub(crate) use pack::*;
pub(crate) use stochastic::*;
pub(crate) use tensor::*;
pub(crate) use to_integer::*;
pub(crate) use wide::*;
