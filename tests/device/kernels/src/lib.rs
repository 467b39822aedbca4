//! Kernels that use one part of the device library each, with one file per part. The package
//! `device` has the expected results.
#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx))]

lanewise_std::module!();
// The same kernels for another target, from build.rs.
lanewise_std::module!(Volta);

pub mod collectives;
mod dictionary;
pub mod graph;
pub mod grid;
pub mod groups;
pub mod half;
pub mod instructions;
pub mod panics;
pub mod parameters;
pub mod past_the_end;
pub mod places;
pub mod surfaces;
pub mod types;
