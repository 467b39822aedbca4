//! The thread: its position in the launch, and the barrier of its block.
//!
//! A launch is a grid of blocks of threads, each with up to three dimensions. Positions are
//! `u32`, as in the hardware. An index over the whole grid may exceed 2^32, and memory safety
//! depends on it. It is a [`ThreadIndex`]. CUDA C++ Programming Guide, "Thread Hierarchy"; PTX
//! ISA, "Special Registers".

mod barrier;
mod index;
mod named_barrier;
mod stride;

pub(crate) use barrier::{CLOSING, COPIES, PHASES, RESPONSES, STEPS};
pub use barrier::{sync_threads, sync_threads_and, sync_threads_count, sync_threads_or};
pub use index::{ThreadIndex, ThreadIndex2D, index_1d, index_2d};
pub use named_barrier::NamedBarrier;
pub use stride::{
    Blocks, Clusters, GridStride, GridStrideIndices, Stride, TeamIndex, TeamStride, TileStride,
    Tiles, Warps, block_stride, grid_stride, grid_stride_by_blocks, grid_stride_by_tiles,
    grid_stride_by_warps, warp_stride,
};

use crate::intrinsics;

macro_rules! special_registers {
    ($($(#[$attribute:meta])* $name:ident = $register:ident;)*) => {
        $(
            $(#[$attribute])*
            #[inline]
            #[must_use]
            pub fn $name() -> u32 {
                // SAFETY: every thread may read its special registers at any time.
                unsafe { intrinsics::$register() }
            }
        )*
    };
}

special_registers! {
    /// Returns this block's x position in the grid.
    #[doc(alias = "blockIdx.x")] #[doc(alias = "%ctaid.x")]
    block_idx_x = ctaid_x;
    /// Returns this block's y position in the grid.
    #[doc(alias = "blockIdx.y")] #[doc(alias = "%ctaid.y")]
    block_idx_y = ctaid_y;
    /// Returns this block's z position in the grid.
    #[doc(alias = "blockIdx.z")] #[doc(alias = "%ctaid.z")]
    block_idx_z = ctaid_z;
    /// Returns the number of threads of a block along x.
    #[doc(alias = "blockDim.x")] #[doc(alias = "%ntid.x")]
    block_dim_x = ntid_x;
    /// Returns the number of threads of a block along y.
    #[doc(alias = "blockDim.y")] #[doc(alias = "%ntid.y")]
    block_dim_y = ntid_y;
    /// Returns the number of threads of a block along z.
    #[doc(alias = "blockDim.z")] #[doc(alias = "%ntid.z")]
    block_dim_z = ntid_z;
    /// Returns the number of blocks of the grid along x.
    #[doc(alias = "gridDim.x")] #[doc(alias = "%nctaid.x")]
    grid_dim_x = nctaid_x;
    /// Returns the number of blocks of the grid along y.
    #[doc(alias = "gridDim.y")] #[doc(alias = "%nctaid.y")]
    grid_dim_y = nctaid_y;
    /// Returns the number of blocks of the grid along z.
    #[doc(alias = "gridDim.z")] #[doc(alias = "%nctaid.z")]
    grid_dim_z = nctaid_z;
}

macro_rules! positions {
    ($($(#[$attribute:meta])* $name:ident = $register:ident < $dimension:ident;)*) => {
        $(
            $(#[$attribute])*
            #[inline]
            #[must_use]
            pub fn $name() -> u32 {
                // SAFETY: every thread may read its special registers at any time, and a position
                // is below its dimension. The compiler cannot know that by itself. With it, a check
                // of the block's shape also proves that an index into a tile is in bounds.
                unsafe {
                    let position = intrinsics::$register();
                    core::hint::assert_unchecked(position < intrinsics::$dimension());
                    position
                }
            }
        )*
    };
}

positions! {
    /// Returns this thread's x position in its block.
    #[doc(alias = "threadIdx.x")] #[doc(alias = "%tid.x")]
    thread_idx_x = tid_x < ntid_x;
    /// Returns this thread's y position in its block.
    #[doc(alias = "threadIdx.y")] #[doc(alias = "%tid.y")]
    thread_idx_y = tid_y < ntid_y;
    /// Returns this thread's z position in its block.
    #[doc(alias = "threadIdx.z")] #[doc(alias = "%tid.z")]
    thread_idx_z = tid_z < ntid_z;
}

/// Returns this thread's x position in the grid, modulo 2^32:
/// `block_idx_x * block_dim_x + thread_idx_x`.
#[inline]
#[must_use]
pub fn global_idx_x() -> u32 {
    block_idx_x()
        .wrapping_mul(block_dim_x())
        .wrapping_add(thread_idx_x())
}

/// Returns this thread's y position in the grid. It fits in 32 bits: the grid has at most 65 535
/// blocks of 1024 threads along y.
#[inline]
#[must_use]
pub fn global_idx_y() -> u32 {
    block_idx_y()
        .wrapping_mul(block_dim_y())
        .wrapping_add(thread_idx_y())
}

/// Returns this thread's z position in the grid.
#[inline]
#[must_use]
pub fn global_idx_z() -> u32 {
    block_idx_z()
        .wrapping_mul(block_dim_z())
        .wrapping_add(thread_idx_z())
}

/// Returns the number of threads of the grid along x, modulo 2^32: the step of a grid-stride loop.
#[inline]
#[must_use]
pub fn global_size_x() -> u32 {
    grid_dim_x().wrapping_mul(block_dim_x())
}

/// Returns the number of threads of the grid along y.
#[inline]
#[must_use]
pub fn global_size_y() -> u32 {
    grid_dim_y().wrapping_mul(block_dim_y())
}

/// Returns the number of threads of the grid along z.
#[inline]
#[must_use]
pub fn global_size_z() -> u32 {
    grid_dim_z().wrapping_mul(block_dim_z())
}

/// Returns this thread's number in its block, x fastest. Each 32 consecutive threads, from 0 on,
/// are a warp.
#[inline]
#[must_use]
pub fn thread_rank() -> u32 {
    let rank = (thread_idx_z() * block_dim_y() + thread_idx_y()) * block_dim_x() + thread_idx_x();
    // SAFETY: no device has larger blocks. The compiler then knows that a warp's number
    // is below 32.
    unsafe { core::hint::assert_unchecked(rank < 1024) };
    rank
}

/// Returns this block's number in the grid, x fastest.
#[inline]
#[must_use]
pub(crate) fn block_number() -> usize {
    let plane = block_idx_z() as usize * grid_dim_y() as usize + block_idx_y() as usize;
    plane * grid_dim_x() as usize + block_idx_x() as usize
}

/// Pauses this thread for about `nanoseconds`, at most twice as long. Use it in a thread that polls
/// a value which another thread will soon write. Needs `sm_70`.
#[doc(alias = "__nanosleep")]
#[inline]
pub fn nanosleep(nanoseconds: u32) {
    // SAFETY: the instruction only waits.
    unsafe { intrinsics::nanosleep(nanoseconds) }
}

/// Returns the number of threads in a block.
#[inline]
#[must_use]
pub fn block_size() -> u32 {
    block_dim_x() * block_dim_y() * block_dim_z()
}

/// Returns the number of blocks in the grid.
#[inline]
#[must_use]
pub fn grid_size() -> usize {
    grid_dim_x() as usize * grid_dim_y() as usize * grid_dim_z() as usize
}
