#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx))]
//! Kernels as users of two other projects write them. Only the imports are this project's.

lanewise_std::module!();

pub mod cuda_oxide;
pub mod cuda_oxide_barriers;
pub mod cuda_oxide_groups;
pub mod cuda_oxide_tensors;
pub mod rust_cuda;
pub mod rust_cuda_tiles;
