//! The catalog's kernels that are for Hopper alone, in a module of their own: what `sm_90a` has
//! beyond `sm_90` runs on no later GPU either.
#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx))]

lanewise_std::module!();

pub mod tensor;
