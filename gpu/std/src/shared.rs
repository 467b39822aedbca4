//! The memory of a block: arrays that its threads share.
//!
//! It is on the multiprocessor, as fast as a cache, in 32 banks of 4 bytes; lanes of a warp that ask one bank for different
//! words wait for each other. It holds nothing until a thread has written it, and what one thread wrote another may read
//! after a barrier. As with [`GlobalMut`](crate::GlobalMut), elements are copied in and out, never borrowed, and each
//! access is `unsafe`: its `SAFETY` line says which barrier makes it right.
//! CUDA C++ Programming Guide, "Shared Memory"; PTX ISA, "Shared State Space".

use core::marker::PhantomData;

use crate::intrinsics;

/// An array of the block, made by `shared!`.
#[derive(Clone, Copy, Debug)]
pub struct SharedArray<T, const N: usize> {
    pointer: *mut T,
}

impl<T: Copy, const N: usize> SharedArray<T, N> {
    /// The array of one `shared!` declaration, which `Declaration` stands for.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn of_declaration<Declaration>() -> Self {
        SharedArray {
            pointer: declaration::<Declaration, [T; N]>().cast(),
        }
    }

    /// Elements in the array.
    #[expect(
        clippy::len_without_is_empty,
        reason = "the length is part of the type"
    )]
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        N
    }

    /// The element at `index`.
    ///
    /// # Safety
    /// A thread has set the element, a barrier (or program order) lies between, and no other writes it meanwhile.
    ///
    /// # Panics
    /// If `index` is past the end.
    #[inline]
    #[must_use]
    pub unsafe fn get(&self, index: usize) -> T {
        assert!(index < N, "read past the end of a shared array");
        // SAFETY: in bounds; the caller says that the element has a value and nobody writes it meanwhile.
        unsafe { self.pointer.add(index).read() }
    }

    /// Sets the element at `index`.
    ///
    /// # Safety
    /// No other thread reads or writes the element before the next barrier.
    ///
    /// # Panics
    /// If `index` is past the end.
    #[inline]
    pub unsafe fn set(&self, index: usize, value: T) {
        assert!(index < N, "write past the end of a shared array");
        // SAFETY: in bounds; the caller says that nobody else touches the element meanwhile.
        unsafe { self.pointer.add(index).write(value) }
    }

    /// The first element's address.
    #[inline]
    #[must_use]
    pub fn as_ptr(&self) -> *mut T {
        self.pointer
    }
}

impl<T: Copy, const COLUMNS: usize, const ROWS: usize> SharedArray<[T; COLUMNS], ROWS> {
    /// The element of a tile, `shared! { static TILE: [[T; COLUMNS]; ROWS]; }`.
    ///
    /// # Safety
    /// As for [`get`](Self::get).
    ///
    /// # Panics
    /// If `row` or `column` is past the end.
    #[inline]
    #[must_use]
    pub unsafe fn get_at(&self, row: usize, column: usize) -> T {
        assert!(
            row < ROWS && column < COLUMNS,
            "read past the edge of a shared tile"
        );
        // SAFETY: in bounds; the caller says that the element has a value and nobody writes it meanwhile.
        unsafe { self.pointer.cast::<T>().add(row * COLUMNS + column).read() }
    }

    /// One row of a tile, as an array by itself.
    ///
    /// # Panics
    /// If `row` is past the edge.
    #[inline]
    #[must_use]
    pub fn row(&self, row: usize) -> SharedArray<T, COLUMNS> {
        assert!(row < ROWS, "a row past the edge of a shared tile");
        SharedArray {
            pointer: self.pointer.wrapping_add(row).cast(),
        }
    }

    /// Sets the element of a tile.
    ///
    /// # Safety
    /// As for [`set`](Self::set).
    ///
    /// # Panics
    /// If `row` or `column` is past the end.
    #[inline]
    pub unsafe fn set_at(&self, row: usize, column: usize, value: T) {
        assert!(
            row < ROWS && column < COLUMNS,
            "write past the edge of a shared tile"
        );
        // SAFETY: in bounds; the caller says that nobody else touches the element meanwhile.
        unsafe {
            self.pointer
                .cast::<T>()
                .add(row * COLUMNS + column)
                .write(value)
        }
    }
}

/// Shared memory whose size the launch gives: CUDA's `extern __shared__`.
///
/// There is one such region for each block; two arrays in it are two views, at different offsets.
#[derive(Clone, Copy, Debug)]
pub struct DynamicSharedArray<T> {
    pointer: *mut T,
    length: usize,
    element: PhantomData<T>,
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
            pointer: region.wrapping_add(start).cast(),
            length,
            element: PhantomData,
        }
    }

    /// Elements that fit in the region.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.length
    }

    /// True if the launch gave no room.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The element at `index`.
    ///
    /// # Safety
    /// As for [`SharedArray::get`].
    ///
    /// # Panics
    /// If `index` is past the end of what the launch gave.
    #[inline]
    #[must_use]
    pub unsafe fn read(&self, index: usize) -> T {
        assert!(
            index < self.length,
            "read past the end of dynamic shared memory"
        );
        // SAFETY: in bounds; the caller says that the element has a value and nobody writes it meanwhile.
        unsafe { self.pointer.add(index).read() }
    }

    /// The element at `index`, which is known to be in bounds.
    ///
    /// # Safety
    /// As for [`read`](Self::read), and `index` is below the length.
    #[inline]
    #[must_use]
    pub unsafe fn read_unchecked(&self, index: usize) -> T {
        debug_assert!(index < self.length);
        // SAFETY: the caller says that it is in bounds, has a value, and that nobody writes it meanwhile.
        unsafe { self.pointer.add(index).read() }
    }

    /// Sets the element at `index`.
    ///
    /// # Safety
    /// As for [`SharedArray::set`].
    ///
    /// # Panics
    /// If `index` is past the end of what the launch gave.
    #[inline]
    pub unsafe fn write(&self, index: usize, value: T) {
        assert!(
            index < self.length,
            "write past the end of dynamic shared memory"
        );
        // SAFETY: in bounds; the caller says that nobody else touches the element meanwhile.
        unsafe { self.pointer.add(index).write(value) }
    }

    /// Sets the element at `index`, which is known to be in bounds.
    ///
    /// # Safety
    /// As for [`write`](Self::write), and `index` is below the length.
    #[inline]
    pub unsafe fn write_unchecked(&self, index: usize, value: T) {
        debug_assert!(index < self.length);
        // SAFETY: the caller says that it is in bounds and that nobody else touches it meanwhile.
        unsafe { self.pointer.add(index).write(value) }
    }

    /// The first element's address.
    #[inline]
    #[must_use]
    pub fn as_ptr(&self) -> *mut T {
        self.pointer
    }
}

/// The address of a declaration's memory.
///
/// Each pair of types is a function of its own in the bitcode; the builder makes a variable in shared memory for each and
/// puts its address in the place of the call. It must stay a function until then.
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
