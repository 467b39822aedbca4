//! The kernels of `lanewise-algorithms` that multiply in the tensor cores, in a module of their
//! own: it has PTX for `sm_90a`, which no later GPU runs. So each algorithm has two kernels, one
//! for Hopper and one for every other GPU. The functions that launch them are in
//! `lanewise-algorithms`.
//!
//! | file | what it has |
//! | --- | --- |
//! | `attention` | attention by `wgmma` |
//! | `element` | the types of elements of the factors and of what is computed |
//! | `epilogue` | what becomes of the sums: a factor, a bias, a function |
//! | `layer` | the kernels of layers, and how a crate makes those of its own activations |
//! | `order` | the order in which blocks take the tiles of a product |
//! | `place` | the places of a ring of tiles |
//! | `gemm` | products of matrices by `mma.sync` |
//! | `gemm_hopper` | products of matrices by `wgmma` |
#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx))]

lanewise_std::module!();

pub mod attention;
pub mod element;
pub mod epilogue;
pub mod gemm;
pub mod gemm_hopper;
pub mod layer;
mod order;
mod place;
