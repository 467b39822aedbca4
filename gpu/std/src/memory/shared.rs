//! Shared memory: arrays that belong to a block and that all of its threads can access.
//!
//! Shared memory is on the multiprocessor and as fast as a cache. It has 32 banks of 4 bytes. Lanes
//! of a warp that access different words of one bank have a bank conflict, and wait for each other.
//! The memory is uninitialised until a thread writes it. After a barrier, another thread may read
//! what one thread wrote. Elements are [`Cells`]: values are copied in and out, never borrowed.
//! Each access is `unsafe`, and its `SAFETY` comment names the barrier that orders it. CUDA C++
//! Programming Guide, "Shared Memory"; PTX ISA, "Shared State Space".

use core::ops::Deref;

use crate::Cells;
use crate::intrinsics;

/// An array in the block's shared memory, declared by `shared!`: `N` [`Cells`].
#[derive(Debug)]
pub struct SharedArray<T, const N: usize> {
    cells: Cells<T>,
}

impl<T, const N: usize> Clone for SharedArray<T, N> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, const N: usize> Copy for SharedArray<T, N> {}

impl<T, const N: usize> Deref for SharedArray<T, N> {
    type Target = Cells<T>;

    #[inline]
    fn deref(&self) -> &Cells<T> {
        &self.cells
    }
}

impl<T: Copy, const N: usize> SharedArray<T, N> {
    /// Returns the array of one `shared!` declaration. The macro makes a type, `Declaration`,
    /// for each declaration.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn of_declaration<Declaration>() -> Self {
        SharedArray {
            cells: Cells::new(declaration::<Declaration, [T; N]>().cast(), N),
        }
    }

    /// Makes the array at an address.
    ///
    /// # Safety
    /// `N` elements are at this address, in the block's shared memory.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub(crate) unsafe fn from_raw(pointer: *mut T) -> Self {
        SharedArray {
            cells: Cells::new(pointer, N),
        }
    }
}

/// Access to a tile's rows.
impl<T: Copy, const COLUMNS: usize, const ROWS: usize> SharedArray<[T; COLUMNS], ROWS> {
    /// Returns one row of a tile as an array.
    ///
    /// # Panics
    /// If `row` is past the last row.
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn row(&self, row: usize) -> SharedArray<T, COLUMNS> {
        crate::memory::bounds::check(row, ROWS);
        SharedArray {
            cells: Cells::new(self.as_ptr().wrapping_add(row).cast(), COLUMNS),
        }
    }
}

/// Shared memory whose size is an argument of the launch: CUDA's `extern __shared__`.
///
/// There is one such region for each block. Two arrays in it are two views at different offsets.
/// Each view has as many [`Cells`] as fit between its offset and the end of the region.
///
/// ```
/// use lanewise_macros::{kernel, shared};
/// use lanewise_std::async_copy::{commit_group, wait_group};
/// use lanewise_std::thread::{sync_threads, thread_idx_x};
/// use lanewise_std::{DynamicSharedArray, SharedArray};
///
/// /// Brings a row into static shared memory, and another one into dynamic.
/// #[kernel]
/// #[launch_contract(dims = 1, block = 64)]
/// pub fn bring_two(input: &[f32]) {
///     shared! { static FIRST: [f32; 64]; }
///     let first: SharedArray<f32, 64> = FIRST;
///     let second = DynamicSharedArray::<f32>::offset(DynamicSharedArray::<f32>::ALIGN);
///     let own = thread_idx_x() as usize;
///     // SAFETY: each thread writes its own elements, waits for its copies, and then for the others.
///     unsafe {
///         first.copy_async(own, input, own);
///         commit_group();
///         second.copy_async_or_zero(own, input, own + 64);
///         commit_group();
///         wait_group::<1>(); // all but the last
///         sync_threads();
///         assert!(first.get(63 - own) >= 0.0);
///     }
/// }
/// ```
#[derive(Debug)]
pub struct DynamicSharedArray<T> {
    cells: Cells<T>,
}

impl<T> Clone for DynamicSharedArray<T> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for DynamicSharedArray<T> {}

impl<T> Deref for DynamicSharedArray<T> {
    type Target = Cells<T>;

    #[inline]
    fn deref(&self) -> &Cells<T> {
        &self.cells
    }
}

impl<T: Copy> DynamicSharedArray<T> {
    /// The alignment of the region, in bytes.
    pub const ALIGN: usize = 16;

    /// Returns the whole region, as elements of `T`.
    #[inline]
    #[must_use]
    pub fn get() -> Self {
        Self::offset(0)
    }

    /// Returns the part of the region that starts at offset `bytes`, rounded up to the
    /// alignment of `T`.
    #[inline]
    #[must_use]
    pub fn offset(bytes: usize) -> Self {
        const {
            assert!(
                align_of::<T>() <= Self::ALIGN,
                "dynamic shared memory is aligned to 16 bytes"
            )
        };
        let start = bytes.next_multiple_of(align_of::<T>());
        // SAFETY: the registers and the region exist in every launch.
        let (region, size) = unsafe {
            (
                intrinsics::__lanewise_shared_dynamic(),
                intrinsics::dynamic_smem_size(),
            )
        };
        let length = (size as usize)
            .saturating_sub(start)
            .checked_div(size_of::<T>())
            .unwrap_or(0);
        DynamicSharedArray {
            cells: Cells::new(region.wrapping_add(start).cast(), length),
        }
    }
}

/// Returns the address of a declaration's memory.
///
/// Each pair of types has its own function in the bitcode. For each of these functions, the builder
/// makes a variable in shared memory and replaces the call by its address. So the function must not
/// be inlined before that.
#[expect(
    clippy::extra_unused_type_parameters,
    reason = "the type is what tells two declarations apart"
)]
#[inline(never)]
pub(crate) fn declaration<Declaration, Array>() -> *mut u8 {
    // SAFETY: the builder replaces the call by an address.
    unsafe {
        intrinsics::__lanewise_shared_static(
            const { size_of::<Array>() },
            const { align_of::<Array>() },
        )
    }
}
