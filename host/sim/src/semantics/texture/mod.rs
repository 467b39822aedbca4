//! Texture and surface coordinates: which texels a fetch reads, and how they are blended.
//!
//! PTX ISA 5.3 "Texture Sampler and Surface Types" and 9.7.10 "Texture Instructions"; CUDA C++ Programming Guide, "Texture
//! Fetching", for the filter. One axis at a time: an instruction of two or three dimensions takes the texels of each and
//! blends along all. Not here: mipmaps and anisotropy (`.level`, `.grad`), sRGB.

pub mod address;
pub mod cube;
pub mod filter;
pub mod format;

pub use address::{AddressMode, SurfaceClamp, Texel, surface_texel, texel};
pub use filter::{Tap, blend_1d, blend_2d, blend_3d, gather, linear, point};
