//! Single and double precision instructions.
//!
//! PTX ISA 9.7.3 "Floating Point Instructions". Results are IEEE 754's, subnormals included, but
//! for NaNs ([`nan`]) and for what the modifiers say: `.ftz` reads and writes subnormals as zeros,
//! `.sat` clamps to [0, 1].

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
