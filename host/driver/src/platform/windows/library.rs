//! NVIDIA's driver.

pub(crate) use super::super::without::library::open;

/// The library's name.
pub(crate) const PLACES: &[&str] = &["nvcuda.dll"];
