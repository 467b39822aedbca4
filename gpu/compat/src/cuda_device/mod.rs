//! cuda-oxide's `cuda_device`:
//! `use lanewise_compat::cuda_device::{kernel, thread, DisjointSlice};`.
//!
//! Source: NVIDIA, "cuda-oxide: API Quick Reference".

mod disjoint;
mod shared;

pub mod atomic;
pub mod barrier;
pub mod cluster;
pub mod cooperative_groups;
pub mod cusimd;
pub mod debug;
mod packed;
pub mod tma;
pub mod warp;
pub mod wgmma;

pub use cusimd::CuSimd;
pub use disjoint::DisjointSlice;
pub use lanewise_macros::{
    compat_device as device, compat_kernel as kernel, compat_nothing as cluster_launch,
    compat_nothing as convergent, compat_nothing as cooperative_launch,
    compat_nothing as cuda_module, compat_nothing as launch_bounds,
    compat_nothing as launch_contract, compat_nothing as pure, compat_nothing as readonly,
    compat_printf as gpu_printf, device as constant,
};
pub use lanewise_std::ConstantMemory;
pub use lanewise_std::fence::{self, threadfence, threadfence_block, threadfence_system};
pub use lanewise_std::gpu_assert;
pub use lanewise_std::vector::{Float2, Float4};
pub use packed::{bf16x2, f16x2};
pub use shared::{Align, Aligned, Alignment, DynamicSharedArray, SharedArray};
pub use thread::*;
pub use tma::TmaDescriptor;

/// The grid of a cooperative launch.
pub mod grid {
    /// Waits for all threads of the grid.
    ///
    /// # Panics
    /// If the launch is not cooperative.
    #[inline]
    pub fn sync() {
        lanewise_std::groups::Group::sync(&lanewise_std::groups::this_grid());
    }
}

/// The thread and its place, in CUDA's spelling.
#[expect(non_snake_case, reason = "the names are cuda-oxide's, after CUDA's")]
pub mod thread {
    pub use super::disjoint::{
        Index1D, Index2D, Runtime2DIndex, RuntimeIndex, StrideIndex, index_2d, index_2d_runtime,
    };
    pub use lanewise_std::thread::{
        ThreadIndex, index_1d, sync_threads, sync_threads_and, sync_threads_count, sync_threads_or,
    };

    macro_rules! registers {
        ($($name:ident = $ours:ident;)*) => {$(
            #[doc = concat!("[`", stringify!($ours), "`](lanewise_std::thread::", stringify!($ours), ")")]
            #[inline]
            #[must_use]
            pub fn $name() -> u32 {
                lanewise_std::thread::$ours()
            }
        )*};
    }

    registers! {
        threadIdx_x = thread_idx_x; threadIdx_y = thread_idx_y; threadIdx_z = thread_idx_z;
        blockIdx_x = block_idx_x; blockIdx_y = block_idx_y; blockIdx_z = block_idx_z;
        blockDim_x = block_dim_x; blockDim_y = block_dim_y; blockDim_z = block_dim_z;
        gridDim_x = grid_dim_x; gridDim_y = grid_dim_y; gridDim_z = grid_dim_z;
    }

    /// The row of this thread in a 2-D launch.
    #[inline]
    #[must_use]
    pub fn index_2d_row() -> usize {
        lanewise_std::thread::global_idx_y() as usize
    }

    /// The column of this thread in a 2-D launch.
    #[inline]
    #[must_use]
    pub fn index_2d_col() -> usize {
        lanewise_std::thread::global_idx_x() as usize
    }
}
