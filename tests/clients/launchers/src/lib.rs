//! Kernels in Rust, for a program that uses cudarc.

pub mod kernels;
