#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx))]
//! Every kernel of the notes: a module a chapter, a file a pattern.
//!
//! For the device this crate is PTX; for the host it is one typed handle for each kernel, and the PTX by which they are launched. A file
//! holds a pattern's variants in the order in which a reader meets them; its head says the launch shape, what is read and
//! written, what it shows, and the source.
//!
//! Matrices are slices in row-major order: the element in row `y` and column `x` of one with `nx` columns is `y * nx + x`.

lanewise_std::module!();

pub mod algorithms;
pub mod basics;
pub mod cluster;
pub mod development;
pub mod execution;
pub mod instruction;
pub mod levels;
pub mod memory;
pub mod multi_gpu;
pub mod shared;
pub mod streams;
pub mod tensor;
pub mod warp;
