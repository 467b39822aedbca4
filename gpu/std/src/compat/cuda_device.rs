//! cuda-oxide's `cuda_device`: `use lanewise_std::compat::cuda_device::{kernel, thread, DisjointSlice};`.
//!
//! Source: NVIDIA, "cuda-oxide: API Quick Reference".

use core::ops::{Index, IndexMut};

pub use crate::gpu_assert;
pub use crate::{ConstantMemory, DisjointSlice, atomic};
pub use lanewise_macros::{
    compat_device as device, compat_kernel as kernel, compat_nothing as cluster_launch,
    compat_nothing as cuda_module, compat_nothing as launch_bounds, device as constant, gpu_printf,
};

/// The thread and its place, in CUDA's spelling.
#[expect(non_snake_case, reason = "the names are cuda-oxide's, after CUDA's")]
pub mod thread {
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

/// A shared array by index. In a kernel, `static mut TILE: SharedArray<T, N> = SharedArray::UNINIT;` makes `TILE` one.
///
/// As there, an access is in `unsafe`: the borrow that an index makes ends with the statement, and a barrier has to stand between a
/// write and another thread's read.
#[derive(Debug)]
pub struct SharedArray<T, const N: usize> {
    array: crate::SharedArray<T, N>,
}

impl<T: Copy, const N: usize> SharedArray<T, N> {
    /// A view of `array`.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn of(array: crate::SharedArray<T, N>) -> Self {
        SharedArray { array }
    }

    /// The first element's address.
    #[inline]
    #[must_use]
    pub fn as_ptr(&self) -> *const T {
        self.array.as_ptr()
    }

    /// The first element's address.
    #[inline]
    #[must_use]
    pub fn as_mut_ptr(&mut self) -> *mut T {
        self.array.as_ptr()
    }
}

impl<T: Copy, const N: usize> Index<usize> for SharedArray<T, N> {
    type Output = T;

    #[inline]
    fn index(&self, index: usize) -> &T {
        assert!(index < N, "read past the end of a shared array");
        // SAFETY: in bounds; that no thread writes the element meanwhile, the kernel says by its `unsafe`.
        unsafe { &*self.array.as_ptr().add(index) }
    }
}

impl<T: Copy, const N: usize> IndexMut<usize> for SharedArray<T, N> {
    #[inline]
    fn index_mut(&mut self, index: usize) -> &mut T {
        assert!(index < N, "write past the end of a shared array");
        // SAFETY: in bounds; that no other thread uses the element meanwhile, the kernel says by its `unsafe`.
        unsafe { &mut *self.array.as_ptr().add(index) }
    }
}

/// Shared memory whose size the launch gives, by address.
#[derive(Debug)]
pub struct DynamicSharedArray<T> {
    elements: core::marker::PhantomData<T>,
}

impl<T: Copy> DynamicSharedArray<T> {
    /// The first element's address.
    #[inline]
    #[must_use]
    pub fn get() -> *mut T {
        crate::DynamicSharedArray::<T>::get().as_ptr()
    }

    /// The address `bytes` further.
    #[inline]
    #[must_use]
    pub fn offset(bytes: usize) -> *mut T {
        crate::DynamicSharedArray::<T>::offset(bytes).as_ptr()
    }
}
