//! Single and double precision instructions.
//!
//! PTX ISA 9.7.3 "Floating Point Instructions". Results are IEEE 754's, subnormals included, but for NaNs ([`nan`]) and for
//! what the modifiers say: `.ftz` reads and writes subnormals as zeros, `.sat` clamps to [0, 1].

pub mod nan;

mod arithmetic;
mod directed;
mod extremes;
mod packed;
mod sign;

pub use arithmetic::*;
pub use directed::*;
pub use extremes::*;
pub use nan::{canonical_f32, ftz_f32, quiet_f64, sat_f32, sat_f64};
pub use packed::*;
pub use sign::*;
