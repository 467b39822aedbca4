//! Development: how code comes to the device, and how a program becomes fast.

pub mod compilation;
mod curve;
pub mod heat;
pub mod profile;
pub mod separate_compilation;
