//! Rust-CUDA's `cuda_std`: `use lanewise_std::compat::cuda_std::prelude::*;`.
//!
//! Source: Rust-CUDA, `cuda_std` (documentation of its `thread`, `shared`, `warp`, `float` modules).

pub use crate::compat_shared_array as shared_array;
pub use crate::math::Float as GpuFloat;
pub use lanewise_macros::{
    compat_kernel as kernel, compat_println as println, gpu_printf as print,
};

/// What most kernels import.
pub mod prelude {
    pub use super::{GpuFloat, kernel, print, println, shared, shared_array, thread, warp};
}

/// The thread and its place.
pub mod thread {
    pub use crate::fence::{
        threadfence as device_fence, threadfence_block as block_fence,
        threadfence_system as system_fence,
    };
    pub use crate::thread::{
        block_dim_x, block_dim_y, block_dim_z, block_idx_x, block_idx_y, block_idx_z, grid_dim_x,
        grid_dim_y, grid_dim_z, sync_threads, thread_idx_x, thread_idx_y, thread_idx_z,
    };

    /// A position or size in two dimensions.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct UVec2 {
        /// The number along x.
        pub x: u32,
        /// The number along y.
        pub y: u32,
    }

    /// A position or size in three dimensions.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct UVec3 {
        /// The number along x.
        pub x: u32,
        /// The number along y.
        pub y: u32,
        /// The number along z.
        pub z: u32,
    }

    macro_rules! vectors {
        ($($(#[$doc:meta])* $name:ident = $x:ident, $y:ident, $z:ident;)*) => {$(
            $(#[$doc])*
            #[inline]
            #[must_use]
            pub fn $name() -> UVec3 {
                UVec3 { x: $x(), y: $y(), z: $z() }
            }
        )*};
    }

    vectors! {
        /// The thread's position in its block.
        thread_idx = thread_idx_x, thread_idx_y, thread_idx_z;
        /// The block's position in the grid.
        block_idx = block_idx_x, block_idx_y, block_idx_z;
        /// The threads of a block.
        block_dim = block_dim_x, block_dim_y, block_dim_z;
        /// The blocks of the grid.
        grid_dim = grid_dim_x, grid_dim_y, grid_dim_z;
    }

    /// The thread's position along x: a number, where this crate's own function gives a proof.
    #[inline]
    #[must_use]
    pub fn index_1d() -> u32 {
        crate::thread::global_idx_x()
    }

    /// The thread's position along x and y.
    #[inline]
    #[must_use]
    pub fn index_2d() -> UVec2 {
        use crate::thread::{global_idx_x, global_idx_y};
        UVec2 {
            x: global_idx_x(),
            y: global_idx_y(),
        }
    }

    /// The thread's position along all axes.
    #[inline]
    #[must_use]
    pub fn index_3d() -> UVec3 {
        use crate::thread::{global_idx_x, global_idx_y, global_idx_z};
        UVec3 {
            x: global_idx_x(),
            y: global_idx_y(),
            z: global_idx_z(),
        }
    }

    /// Whether this is the first thread of the grid.
    #[inline]
    #[must_use]
    pub fn first() -> bool {
        let (thread, block) = (thread_idx(), block_idx());
        (thread.x | thread.y | thread.z | block.x | block.y | block.z) == 0
    }

    /// Waits for the block, and counts the threads whose `predicate` is not zero.
    #[inline]
    #[must_use]
    pub fn sync_threads_count(predicate: u32) -> u32 {
        crate::thread::sync_threads_count(predicate != 0)
    }

    /// Waits for the block; not zero if no thread's `predicate` is zero.
    #[inline]
    #[must_use]
    pub fn sync_threads_and(predicate: u32) -> u32 {
        crate::thread::sync_threads_and(predicate != 0).into()
    }

    /// Waits for the block; not zero if some thread's `predicate` is not zero.
    #[inline]
    #[must_use]
    pub fn sync_threads_or(predicate: u32) -> u32 {
        crate::thread::sync_threads_or(predicate != 0).into()
    }
}

/// The memory of a block.
pub mod shared {
    pub use crate::compat_shared_array as shared_array;

    /// The dynamic shared memory of the launch.
    #[inline]
    #[must_use]
    pub fn dynamic_shared_mem<T: Copy>() -> *mut T {
        crate::DynamicSharedArray::<T>::get().as_ptr()
    }
}

/// A warp's lanes.
pub mod warp {
    use crate::warp::{self, Shuffle};

    pub use crate::warp::{active_mask as activemask, lane_id, sync_warp};

    /// Whether `predicate` holds in all lanes of `mask`.
    ///
    /// # Safety
    /// As for [`crate::warp::all_sync`]: all lanes of `mask` call it together.
    #[inline]
    #[must_use]
    pub unsafe fn warp_vote_all(mask: u32, predicate: bool) -> bool {
        warp::all_sync(mask, predicate)
    }

    /// Whether `predicate` holds in some lane of `mask`.
    ///
    /// # Safety
    /// All lanes of `mask` call it together.
    #[inline]
    #[must_use]
    pub unsafe fn warp_vote_any(mask: u32, predicate: bool) -> bool {
        warp::any_sync(mask, predicate)
    }

    /// The lanes of `mask` in which `predicate` holds.
    ///
    /// # Safety
    /// All lanes of `mask` call it together.
    #[inline]
    #[must_use]
    pub unsafe fn warp_vote_ballot(mask: u32, predicate: bool) -> u32 {
        warp::ballot_sync(mask, predicate)
    }

    macro_rules! shuffles {
        ($($(#[$doc:meta])* $name:ident = $ours:ident, |$lane:ident, $by:ident, $width:ident| $inside:expr;)*) => {$(
            $(#[$doc])*
            /// The second value says whether the other lane was in this one's segment.
            ///
            /// # Safety
            /// All lanes of `mask` call it together; `width` is a power of two, 32 at most.
            #[inline]
            #[must_use]
            pub unsafe fn $name<T: Shuffle>(mask: u32, value: T, $by: u32, $width: u32) -> (T, bool) {
                let $lane = lane_id() % $width;
                (warp::$ours(mask, value, $by, $width), $inside)
            }
        )*};
    }

    shuffles! {
        /// The value of lane `index` of the segment.
        warp_shuffle_idx = shuffle_sync_width, |_lane, index, width| index < width;
        /// The value of the lane `delta` below.
        warp_shuffle_up = shuffle_up_sync_width, |lane, delta, width| lane >= delta;
        /// The value of the lane `delta` above.
        warp_shuffle_down = shuffle_down_sync_width, |lane, delta, width| lane + delta < width;
        /// The value of the lane whose number differs in the bits of `lanes`.
        warp_shuffle_xor = shuffle_xor_sync_width, |lane, lanes, width| (lane ^ lanes) < width;
    }
}

/// An array in shared memory, as a pointer to its first element: `shared_array![f32; 256]`.
#[doc(hidden)]
#[macro_export]
macro_rules! compat_shared_array {
    ($element:ty; $length:expr) => {{
        enum Declaration {}
        $crate::SharedArray::<$element, { $length }>::of_declaration::<Declaration>().as_ptr()
    }};
}
