//! Several devices: the kernels that each of them runs on its part.

pub mod collectives;
pub mod halo_stencil;
