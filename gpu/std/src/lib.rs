#![no_std]
#![cfg_attr(
    target_arch = "nvptx64",
    feature(asm_experimental_arch, core_intrinsics, f16, link_llvm_intrinsics),
    allow(internal_features)
)]
//! The device library: what a kernel uses to know its place, share memory, synchronise and report.
//!
//! Every module is one subject of the CUDA model; the names are the field's (see the book's page on names). The crate is
//! compiled twice: for `nvptx64-nvidia-cuda`, where the functions are instructions, and for the host, where it supplies
//! the types by which a kernel is described ([`kernel`]). The other functions are there on the host too, so that kernels
//! are type-checked with everything else; calling one there panics.
//!
//! What synchronises is an LLVM intrinsic, never inline assembly where there is a choice: the compiler knows what an
//! intrinsic does, and keeps barriers and shuffles where they were written.

#[cfg(all(feature = "alloc", target_arch = "nvptx64"))]
mod heap;
mod intrinsics;
#[cfg(target_arch = "nvptx64")]
mod panic;
mod state_space;
mod target;

pub mod assert;
pub mod async_copy;
pub mod atomic;
pub mod barrier;
pub mod bits;
pub mod bulk;
pub mod cache;
pub mod cells;
pub mod clock;
pub mod cluster;
pub mod collective;
#[cfg(feature = "compat")]
pub mod compat;
pub mod debug;
pub mod disjoint;
pub mod dynamic;
pub mod fast;
pub mod fence;
pub mod global;
pub mod graph;
pub mod groups;
pub mod half;
pub mod kernel;
pub mod launch_control;
pub mod math;
pub mod matrix;
pub mod multimem;
pub mod pipeline;
pub mod printf;
pub mod programmatic;
pub mod shared;
pub mod surface;
pub mod symbol;
pub mod texture;
pub mod thread;
pub mod tma;
pub mod unroll;
pub mod vector;
pub mod warp;

pub use cells::Cells;
pub use disjoint::{DisjointSlice, OwnIndex};
pub use global::GlobalMut;
pub use shared::{DynamicSharedArray, SharedArray};
pub use symbol::{ConstantMemory, DeviceGlobal};

/// What a device function does on the host, where kernels are compiled only to be checked.
#[cfg(not(target_arch = "nvptx64"))]
#[cold]
fn device_only(name: &str) -> ! {
    panic!("`{name}` is an instruction of the device: launch the kernel instead of calling it")
}
