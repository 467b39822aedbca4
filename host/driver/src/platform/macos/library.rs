//! NVIDIA's driver.

pub(crate) use super::super::without::library::open;

/// There is no driver of NVIDIA's.
pub(crate) const PLACES: &[&str] = &["libcuda.dylib"];
