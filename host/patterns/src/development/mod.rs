//! Development: how code gets to the device, and how a program is made fast.

pub mod compilation;
mod curve;
pub mod heat;
pub mod separate_compilation;
