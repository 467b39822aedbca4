//! Random expressions, written by build.rs from a fixed seed.
#![allow(
    warnings,
    clippy::all,
    reason = "nobody would write these; that is what they are for"
)]

use crate::{Out, Random};

include!(concat!(env!("OUT_DIR"), "/expressions.rs"));
