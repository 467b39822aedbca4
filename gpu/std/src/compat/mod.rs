//! Names as other projects have them, so that kernels written for those compile here with their
//! imports changed.
//!
//! [`cuda_std`] is for Rust-CUDA, [`cuda_device`] and [`cuda_intrinsics`] for NVIDIA's cuda-oxide.
//! What differs is in the book, "Coming from elsewhere". Only names and signatures are theirs;
//! everything behind them is this crate's.

pub mod cuda_device;
pub mod cuda_intrinsics;
pub mod cuda_std;
