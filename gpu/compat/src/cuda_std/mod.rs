//! Rust-CUDA's `cuda_std`: `use lanewise_compat::cuda_std::prelude::*;`.
//!
//! Source: Rust-CUDA, `cuda_std` (documentation of its `thread`, `shared`,
//! `warp`, `float` modules).

pub mod warp;

pub use crate::compat_shared_array as shared_array;
pub use core::{assert_eq, assert_ne};
pub use lanewise_macros::{
    compat_kernel as kernel, compat_nothing as address_space, compat_nothing as externally_visible,
    compat_nothing as gpu_only, compat_println as println, gpu_printf as print,
};
pub use lanewise_std::half::{Bf16 as bf16, F16 as f16};
pub use lanewise_std::math::Float as GpuFloat;

/// What most kernels import.
pub mod prelude {
    pub use super::{
        GpuFloat, address_space, f16, kernel, print, println, shared, shared_array, thread, warp,
    };
}

/// Floats that threads add to and exchange: of the device, of a block, of the whole system.
pub mod atomic {
    pub use crate::cuda_device::atomic::{
        BlockAtomicF32, BlockAtomicF64, DeviceAtomicF32 as AtomicF32, DeviceAtomicF64 as AtomicF64,
        SystemAtomicF32, SystemAtomicF64,
    };
}

/// The thread and its place.
pub mod thread {
    pub use lanewise_std::fence::{
        threadfence as device_fence, threadfence as grid_fence, threadfence_block as block_fence,
        threadfence_system as system_fence,
    };
    pub use lanewise_std::thread::{
        block_dim_x, block_dim_y, block_dim_z, block_idx_x, block_idx_y, block_idx_z, grid_dim_x,
        grid_dim_y, grid_dim_z, nanosleep, sync_threads, thread_idx_x, thread_idx_y, thread_idx_z,
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

    /// The thread's number in the grid, whatever its shape: blocks one after another.
    #[inline]
    #[must_use]
    pub fn index() -> u32 {
        lanewise_std::thread::index_1d().get() as u32
    }

    /// Lanes of a warp.
    #[inline]
    #[must_use]
    pub fn warp_size() -> u32 {
        lanewise_std::warp::WARP_SIZE
    }

    /// The thread's position along x: a number, where lanewise-std's function gives a proof.
    #[inline]
    #[must_use]
    pub fn index_1d() -> u32 {
        lanewise_std::thread::global_idx_x()
    }

    /// The thread's position along x and y.
    #[inline]
    #[must_use]
    pub fn index_2d() -> UVec2 {
        use lanewise_std::thread::{global_idx_x, global_idx_y};
        UVec2 {
            x: global_idx_x(),
            y: global_idx_y(),
        }
    }

    /// The thread's position along all axes.
    #[inline]
    #[must_use]
    pub fn index_3d() -> UVec3 {
        use lanewise_std::thread::{global_idx_x, global_idx_y, global_idx_z};
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
        lanewise_std::thread::sync_threads_count(predicate != 0)
    }

    /// Waits for the block; not zero if no thread's `predicate` is zero.
    #[inline]
    #[must_use]
    pub fn sync_threads_and(predicate: u32) -> u32 {
        lanewise_std::thread::sync_threads_and(predicate != 0).into()
    }

    /// Waits for the block; not zero if some thread's `predicate` is not zero.
    #[inline]
    #[must_use]
    pub fn sync_threads_or(predicate: u32) -> u32 {
        lanewise_std::thread::sync_threads_or(predicate != 0).into()
    }
}

/// The memory of a block.
pub mod shared {
    pub use crate::compat_shared_array as shared_array;

    /// The dynamic shared memory of the launch.
    #[inline]
    #[must_use]
    pub fn dynamic_shared_mem<T: Copy>() -> *mut T {
        lanewise_std::DynamicSharedArray::<T>::get().as_ptr()
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
