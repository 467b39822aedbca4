//! Texture and surface coordinates: which texels a fetch reads, and how they are blended.
//!
//! PTX ISA 5.3 "Texture Sampler and Surface Types" and 9.7.10 "Texture Instructions"; CUDA C++
//! Programming Guide, "Texture Fetching", for the filter. One axis at a time: an instruction of two
//! or three dimensions takes the texels of each and blends along all, levels of mipmaps included.
//! Not here: anisotropy, sRGB.

pub(crate) mod address;
pub(crate) mod blend;
pub(crate) mod cube;
pub(crate) mod filter;
pub(crate) mod fixed;
pub(crate) mod format;
pub(crate) mod level;

pub use address::AddressMode;
pub(crate) use address::{SurfaceClamp, Texel, surface_texel};
