//! Kernels that are wrong, a file a case, each beside its right twin; the package `wrong` has the
//! report of each.
//!
//! A file's first line says what is wrong, its second the launch. Both kernels get two buffers of
//! 1024 words: `data` is zero, and `new` was never written.
#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx))]
#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "what such a comment would name is what a wrong kernel leaves out"
)]

lanewise_std::module!();

pub mod init;
pub mod memory;
pub mod race;
pub mod sync;
