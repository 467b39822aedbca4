#![no_std]
#![cfg_attr(
    target_arch = "nvptx64",
    feature(asm_experimental_arch, core_intrinsics, f16, link_llvm_intrinsics),
    allow(internal_features)
)]
//! The device library: what a kernel uses to find its position, share memory,
//! synchronise and report.
//!
//! Each module is one subject of the CUDA model, under its usual name (see the book's
//! page on names):
//!
//! | subject | modules |
//! | --- | --- |
//! | who runs: threads, warps, blocks, clusters | [`thread`], [`warp`], [`cluster`], [`groups`] |
//! | memory | [`disjoint`], [`global`], [`shared`], [`cells`], [`symbol`], [`vector`], [`cache`], [`texture`], [`surface`], [`multimem`] |
//! | order between threads | [`atomic`], [`fence`], [`barrier`], [`scope`] |
//! | copies that run beside the threads | [`async_copy`], [`bulk`], [`tma`], [`pipeline`] |
//! | what threads compute together | [`collective`], [`matrix`] |
//! | numbers | [`math`], [`fast`], [`half`], [`float8`], [`bits`] |
//! | launches | [`kernel`], [`dynamic`], [`graph`], [`programmatic`], [`launch_control`] |
//! | reports | [`printf`], [`assert`](mod@assert), [`clock`], [`debug`] |
//!
//! The crate is compiled twice. For `nvptx64-nvidia-cuda` its functions become instructions. For
//! the host it supplies the types that describe a kernel ([`kernel`]). The other functions exist
//! on the host too, so that kernels are type-checked with all other code. A call of one of them on
//! the host panics.
//!
//! Operations that synchronise threads are LLVM intrinsics wherever LLVM has one. The
//! compiler understands an intrinsic, so it does not move barriers and shuffles. It does not
//! understand inline assembly.

mod dim3;
#[cfg(all(feature = "alloc", target_arch = "nvptx64"))]
mod heap;
mod intrinsics;
#[cfg(target_arch = "nvptx64")]
mod panic;
mod state_space;
mod target;

mod copies;
mod launch;
mod memory;
mod numbers;
mod report;
mod sync;

pub mod cluster;
pub mod collective;
pub mod groups;
#[doc(hidden)]
pub mod inside;
pub mod kernel;
pub mod matrix;
pub mod thread;
pub mod unroll;
pub mod warp;

pub use copies::{bulk, pipeline, tma};
#[doc(hidden)]
pub use launch::entry::{meet_in_block, meet_in_cluster};
pub use launch::{dynamic, graph, launch_control, programmatic};
pub use memory::{
    async_copy, cache, cells, disjoint, disjoint_matrix, dynamic_shared, global, multimem,
    part_per_block, per_block, per_warp, phased, row_per_block, shared, surface, symbol, texture,
    vector,
};
pub use numbers::{bits, fast, float8, half, math};
pub use report::{assert, clock, debug, printf};
pub use sync::{atomic, barrier, fence, scope};

pub use atomic::SharedAtomics;
pub use cells::Cells;
pub use disjoint::{DisjointSlice, OwnIndex};
pub use disjoint_matrix::DisjointMatrix;
pub use dynamic_shared::DynamicShared;
pub use global::GlobalMut;
pub use memory::matrix::Matrix;
pub use part_per_block::{PartPerBlock, SharedPart};
pub use per_block::PerBlock;
pub use per_warp::PerWarp;
pub use phased::{SharedLine, SharedPerWarp, SharedStages, SharedTile};
pub use row_per_block::RowPerBlock;
pub use shared::{DynamicSharedArray, SharedArray};
pub use symbol::{ConstantMemory, DeviceGlobal};

/// Panics: a device function was called on the host, where kernels are compiled only
/// for type checks.
#[cfg(not(target_arch = "nvptx64"))]
#[cold]
fn device_only(name: &str) -> ! {
    panic!("`{name}` is an instruction of the device: launch the kernel instead of calling it")
}
