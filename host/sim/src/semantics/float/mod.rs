//! Single and double precision instructions.
//!
//! PTX ISA 9.7.3 "Floating Point Instructions". Results are those of IEEE 754, with subnormals. The
//! exceptions are NaNs ([`nan`]) and the modifiers: `.ftz` reads and writes subnormals as zeros,
//! and `.sat` clamps to [0, 1].

pub(crate) mod nan;

mod arithmetic;
mod directed;
mod extremes;
mod packed;
mod sign;

pub(crate) use arithmetic::*;
pub(crate) use directed::*;
pub(crate) use extremes::*;
pub(crate) use nan::{canonical_f32, ftz_f32, sat_f32, sat_f64};
pub(crate) use packed::*;
pub(crate) use sign::*;
