//! The functions of `f64`, under their names in C.

mod bessel;
mod error;
mod exponential;
mod gamma;
mod hyperbolic;
mod inverse;
mod logarithm;
mod machine;
mod normal;
mod power;
mod root;
mod trigonometric;

pub(crate) use bessel::{cyl_bessel_i0, cyl_bessel_i1, j0, j1, y0, y1};
pub(crate) use error::{erf, erfc, erfcx};
pub(crate) use exponential::{exp, exp2, exp10, expm1};
pub(crate) use gamma::{lgamma, tgamma};
pub(crate) use hyperbolic::{acosh, asinh, atanh, cosh, sinh, tanh};
pub(crate) use inverse::{acos, asin, atan, atan2};
pub(crate) use logarithm::{log, log1p, log2, log10};
pub(crate) use normal::{erfcinv, erfinv, normcdf, normcdfinv};
pub(crate) use power::pow;
pub(crate) use root::{cbrt, hypot, norm3d, norm4d, rcbrt, rhypot, rnorm3d, rnorm4d, rsqrt};
pub(crate) use trigonometric::{cos, cospi, sin, sincos, sincospi, sinpi, tan};
