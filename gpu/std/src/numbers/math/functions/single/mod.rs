//! The functions of `f32`, under their names in C.

mod error;
mod exponential;
mod gamma;
mod hyperbolic;
mod inverse;
mod logarithm;
pub(super) mod machine;
mod normal;
mod power;
mod root;
mod trigonometric;

pub(crate) use error::{erfcf, erfcxf, erff};
pub(crate) use exponential::{exp2f, exp10f, expf, expm1f};
pub(crate) use gamma::{lgammaf, tgammaf};
pub(crate) use hyperbolic::{acoshf, asinhf, atanhf, coshf, sinhf, tanhf};
pub(crate) use inverse::{acosf, asinf, atan2f, atanf};
pub(crate) use logarithm::{log1pf, log2f, log10f, logf};
pub(crate) use normal::{erfcinvf, erfinvf, normcdff, normcdfinvf};
pub(crate) use power::powf;
pub(crate) use root::{cbrtf, hypotf, rcbrtf, rsqrtf};
pub(crate) use trigonometric::{cosf, cospif, sincosf, sincospif, sinf, sinpif, tanf};
