//! cuda-oxide's `cuda_device`: `use lanewise_std::compat::cuda_device::{kernel, thread, DisjointSlice};`.
//!
//! Source: NVIDIA, "cuda-oxide: API Quick Reference".

mod disjoint;
mod shared;

pub mod barrier;

pub use crate::gpu_assert;
pub use crate::{ConstantMemory, atomic};
pub use disjoint::DisjointSlice;
pub use lanewise_macros::{
    compat_device as device, compat_kernel as kernel, compat_nothing as cluster_launch,
    compat_nothing as cuda_module, compat_nothing as launch_bounds, device as constant, gpu_printf,
};
pub use shared::{Align, Aligned, Alignment, DynamicSharedArray, SharedArray};

/// The thread and its place, in CUDA's spelling.
#[expect(non_snake_case, reason = "the names are cuda-oxide's, after CUDA's")]
pub mod thread {
    pub use super::disjoint::{
        Index1D, Index2D, Runtime2DIndex, RuntimeIndex, StrideIndex, index_2d, index_2d_runtime,
    };
    pub use crate::thread::{
        ThreadIndex, index_1d, sync_threads, sync_threads_and, sync_threads_count, sync_threads_or,
    };

    macro_rules! registers {
        ($($name:ident = $ours:ident;)*) => {$(
            #[doc = concat!("[`", stringify!($ours), "`](crate::thread::", stringify!($ours), ")")]
            #[inline]
            #[must_use]
            pub fn $name() -> u32 {
                crate::thread::$ours()
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
        crate::thread::global_idx_y() as usize
    }

    /// The column of this thread in a 2-D launch.
    #[inline]
    #[must_use]
    pub fn index_2d_col() -> usize {
        crate::thread::global_idx_x() as usize
    }
}

/// A warp's lanes; what names no mask means all 32.
pub mod warp {
    use crate::warp::{self, FULL_MASK, Shuffle};

    pub use crate::warp::{active_mask, lane_id, sync_warp};

    macro_rules! full {
        ($($(#[$doc:meta])* $name:ident = $ours:ident;)*) => {$(
            $(#[$doc])*
            #[inline]
            #[must_use]
            pub fn $name<T: Shuffle>(value: T, lanes: u32) -> T {
                warp::$ours(FULL_MASK, value, lanes)
            }
        )*};
    }

    full! {
        /// The value of a lane.
        shuffle = shuffle_sync;
        /// The value of a lane below.
        shuffle_up = shuffle_up_sync;
        /// The value of a lane above.
        shuffle_down = shuffle_down_sync;
        /// The value of the lane whose number differs in these bits.
        shuffle_xor = shuffle_xor_sync;
        /// The value of a lane.
        shuffle_f32 = shuffle_sync;
        /// The value of a lane below.
        shuffle_up_f32 = shuffle_up_sync;
        /// The value of a lane above.
        shuffle_down_f32 = shuffle_down_sync;
        /// The value of the lane whose number differs in these bits.
        shuffle_xor_f32 = shuffle_xor_sync;
    }

    /// Whether `predicate` holds in all lanes.
    #[inline]
    #[must_use]
    pub fn all(predicate: bool) -> bool {
        warp::all_sync(FULL_MASK, predicate)
    }

    /// Whether `predicate` holds in some lane.
    #[inline]
    #[must_use]
    pub fn any(predicate: bool) -> bool {
        warp::any_sync(FULL_MASK, predicate)
    }

    /// The lanes in which `predicate` holds.
    #[inline]
    #[must_use]
    pub fn ballot(predicate: bool) -> u32 {
        warp::ballot_sync(FULL_MASK, predicate)
    }
}
