//! The functions of `f32`, under their names in C.

mod bessel;
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

pub(crate) use bessel::{cyl_bessel_i0f, cyl_bessel_i1f, j0f, j1f, y0f, y1f};
pub(crate) use error::{erfcf, erfcxf, erff};
pub(crate) use exponential::{exp2f, exp10f, expf, expm1f};
pub(crate) use gamma::{lgammaf, tgammaf};
pub(crate) use hyperbolic::{acoshf, asinhf, atanhf, coshf, sinhf, tanhf};
pub(crate) use inverse::{acosf, asinf, atan2f, atanf};
pub(crate) use logarithm::{log1pf, log2f, log10f, logf};
pub(crate) use normal::{erfcinvf, erfinvf, normcdff, normcdfinvf};
pub(crate) use power::powf;
pub(crate) use root::{
    cbrtf, hypotf, norm3df, norm4df, rcbrtf, rhypotf, rnorm3df, rnorm4df, rsqrtf,
};
pub(crate) use trigonometric::{cosf, cospif, sincosf, sincospif, sinf, sinpif, tanf};
