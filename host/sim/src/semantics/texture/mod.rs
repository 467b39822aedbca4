//! Texture and surface coordinates: the texels that a fetch reads, and their blending.
//!
//! PTX ISA 5.3 "Texture Sampler and Surface Types" and 9.7.10 "Texture Instructions"; CUDA C++
//! Programming Guide, "Texture Fetching", for the filter. Each axis is handled separately. An
//! instruction of two or three dimensions takes the texels of each axis and blends along all of
//! them, mipmap levels included. Not included: anisotropy, sRGB.

pub(crate) mod address;
pub(crate) mod blend;
pub(crate) mod cube;
pub(crate) mod filter;
pub(crate) mod fixed;
pub(crate) mod format;
pub(crate) mod level;

pub use address::AddressMode;
pub(crate) use address::{SurfaceClamp, Texel, surface_texel};
