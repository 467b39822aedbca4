//! The kernels of `compat-kernels`, as build.rs compiled them.

/// The PTX.
pub const PTX: &str = include_str!(env!("COMPAT_PTX"));
