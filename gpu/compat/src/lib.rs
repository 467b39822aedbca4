#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(asm_experimental_arch))]
//! Names of other projects, so that kernels written for those projects compile here
//! with changed imports.
//!
//! [`cuda_std`] is for Rust-CUDA, [`cuda_device`] and [`cuda_intrinsics`] for NVIDIA's cuda-oxide.
//! The book lists the differences under "Coming from elsewhere". Only the names and the signatures
//! come from those projects. The implementation is lanewise-std's.

pub mod cuda_device;
pub mod cuda_intrinsics;
pub mod cuda_std;

#[doc(hidden)] // for `shared_array!`
pub use lanewise_std::SharedArray;
