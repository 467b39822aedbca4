//! The functions of `f64`, under their names in C.

mod machine;
mod root;
mod trigonometric;

pub(crate) use root::rsqrt;
pub(crate) use trigonometric::sincos;
