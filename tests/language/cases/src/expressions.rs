//! Random expressions, written by build.rs from a fixed seed.
#![allow(
    warnings,
    clippy::all,
    reason = "random functions have expressions that lints refuse"
)]

use crate::{Out, Random};

include!(concat!(env!("OUT_DIR"), "/expressions.rs"));
