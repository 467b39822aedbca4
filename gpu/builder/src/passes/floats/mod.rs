//! How floats are computed: with which functions, how precisely, and whether operations
//! may be fused.

pub(crate) mod contraction;
pub(crate) mod math_library;
pub(crate) mod precision;
