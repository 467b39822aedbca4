#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx))]
//! Every kernel of the catalog: a module for each chapter, a file for each pattern.
//!
//! For the device, this crate is compiled to PTX. For the host, it is a typed handle for each
//! kernel, and the PTX that a launch loads. A file contains a pattern's variants in the best order
//! for reading. Its head describes how to launch them, what they read and write, what the pattern
//! shows, and where it comes from.
//!
//! Matrices are slices in row-major order: if a matrix has `nx` columns, the element in row `y` and
//! column `x` is `y * nx + x`.

lanewise_std::module!();

pub mod algorithms;
pub mod basics;
pub mod cluster;
pub mod development;
pub mod execution;
pub mod instruction;
pub mod ladders;
pub mod levels;
pub mod memory;
pub mod multi_gpu;
pub mod shared;
pub mod streams;
pub mod tensor;
pub mod warp;
