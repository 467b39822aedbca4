//! `redux` of floats, a reduction over the lanes of a warp.
//!
//! PTX ISA 9.7.13 "redux.sync". `members` is the set of participating lanes, one bit
//! each: the membermask without the lanes that exited. The other exchanges between lanes
//! are in `machine::meeting::exchange`.

use super::float::{max_f32, max_nan_f32, min_f32, min_nan_f32, nan::NAN_F32};

/// Returns the members of a set, in order.
#[inline(always)]
fn lanes(members: u32) -> impl Iterator<Item = usize> {
    (0..32).filter(move |lane| members >> lane & 1 == 1)
}

/// `redux.{min,max}{.abs}{.NaN}.f32`: the extreme of the values, with the rules for two operands.
/// The result is NaN if every value is NaN.
#[inline(always)]
pub(crate) fn redux_f32(values: &[f32; 32], members: u32, max: bool, abs: bool, nan: bool) -> f32 {
    let op = match (max, nan) {
        (false, false) => min_f32,
        (false, true) => min_nan_f32,
        (true, false) => max_f32,
        (true, true) => max_nan_f32,
    };
    let of = |lane: usize| {
        if abs {
            values[lane].abs()
        } else {
            values[lane]
        }
    };
    lanes(members)
        .map(of)
        .reduce(op)
        .map_or(NAN_F32, super::float::canonical_f32)
}
