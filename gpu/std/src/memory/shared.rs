//! Shared memory: arrays that belong to a block and that all of its threads reach.
//!
//! Shared memory is on the multiprocessor and as fast as a cache. It has 32 banks of 4 bytes; lanes
//! of a warp that ask one bank for different words wait for each other. It holds no values until a
//! thread has written them, and what one thread wrote, another may read after a barrier. Elements
//! are [`Cells`]: values are copied in and out, never borrowed. Each access is `unsafe`, and its
//! `SAFETY` comment names the barrier that makes it right. CUDA C++ Programming Guide, "Shared
//! Memory"; PTX ISA, "Shared State Space".

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
    /// The array of one `shared!` declaration; the macro makes a type, `Declaration`, for each.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn of_declaration<Declaration>() -> Self {
        SharedArray {
            cells: Cells::new(declaration::<Declaration, [T; N]>().cast(), N),
        }
    }

    /// The array at an address.
    ///
    /// # Safety
    /// `N` elements lie there, in the block's shared memory.
    #[inline]
    pub(crate) unsafe fn from_raw(pointer: *mut T) -> Self {
        SharedArray {
            cells: Cells::new(pointer, N),
        }
    }
}

/// A tile's rows.
impl<T: Copy, const COLUMNS: usize, const ROWS: usize> SharedArray<[T; COLUMNS], ROWS> {
    /// One row of a tile, as an array by itself.
    ///
    /// # Panics
    /// If `row` is past the edge.
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

/// Shared memory whose size the launch gives: CUDA's `extern __shared__`.
///
/// There is one such region for each block. Two arrays in it are two views at different offsets,
/// and each view has as many [`Cells`] as fit behind its offset.
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
    /// What the region is aligned to.
    pub const ALIGN: usize = 16;

    /// The whole region, as elements of `T`.
    #[inline]
    #[must_use]
    pub fn get() -> Self {
        Self::offset(0)
    }

    /// The region from `bytes` on, rounded up to what `T` is aligned to.
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
        // SAFETY: the registers and the region are there in every launch.
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

/// The address of a declaration's memory.
///
/// Each pair of types is a function of its own in the bitcode; the builder makes a variable in
/// shared memory for each and puts its address in the place of the call. It must stay a function
/// until then.
#[expect(
    clippy::extra_unused_type_parameters,
    reason = "the type is what tells two declarations apart"
)]
#[inline(never)]
fn declaration<Declaration, Array>() -> *mut u8 {
    // SAFETY: the builder replaces the call by an address.
    unsafe {
        intrinsics::__lanewise_shared_static(
            const { size_of::<Array>() },
            const { align_of::<Array>() },
        )
    }
}
