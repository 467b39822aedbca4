//! The functions of `f64`, under their names in C.

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

pub(crate) use error::{erf, erfc, erfcx};
pub(crate) use exponential::{exp, exp2, exp10, expm1};
pub(crate) use gamma::{lgamma, tgamma};
pub(crate) use hyperbolic::{acosh, asinh, atanh, cosh, sinh, tanh};
pub(crate) use inverse::{acos, asin, atan, atan2};
pub(crate) use logarithm::{log, log1p, log2, log10};
pub(crate) use normal::{erfcinv, erfinv, normcdf, normcdfinv};
pub(crate) use power::pow;
pub(crate) use root::{cbrt, hypot, rcbrt, rsqrt};
pub(crate) use trigonometric::{cos, cospi, sin, sincos, sincospi, sinpi, tan};
