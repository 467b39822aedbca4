//! The functions of `f32`, under their names in C.

mod error;
mod exponential;
mod hyperbolic;
mod logarithm;
mod machine;
mod power;
mod root;
mod trigonometric;

pub(crate) use error::{erfcf, erff};
pub(crate) use exponential::{exp2f, exp10f, expf};
pub(crate) use hyperbolic::tanhf;
pub(crate) use logarithm::{log1pf, log2f, log10f, logf};
pub(crate) use power::powf;
pub(crate) use root::{cbrtf, hypotf, rsqrtf};
pub(crate) use trigonometric::{cosf, sincosf, sinf, tanf};
