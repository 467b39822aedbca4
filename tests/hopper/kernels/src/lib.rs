//! Kernels that use the features of Hopper and Blackwell, one file per part. The package `hopper`
//! has the expected results.
#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx))]

lanewise_std::module!();

pub mod atomics;
pub mod barriers;
pub mod blackwell;
pub mod bulk;
pub mod copies;
pub mod grids;
pub mod matrices;
pub mod multimem;
pub mod parted;
pub mod sparse;
pub mod tensors;
pub mod wrong;
