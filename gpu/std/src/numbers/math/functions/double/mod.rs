//! The functions of `f64`, under their names in C.

mod error;
mod exponential;
mod logarithm;
mod machine;
mod power;
mod root;
mod trigonometric;

pub(crate) use error::erfc;
pub(crate) use exponential::{exp, exp2, exp10};
pub(crate) use logarithm::{log, log1p, log2, log10};
pub(crate) use power::pow;
pub(crate) use root::rsqrt;
pub(crate) use trigonometric::sincos;
