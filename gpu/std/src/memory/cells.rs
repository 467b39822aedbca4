//! Memory that threads share, as cells: one set of methods for shared, dynamic shared and global
//! memory.
//!
//! When one thread reads what another wrote, no type can show that this is right. A barrier, an
//! atomic or the end of a kernel makes it right. So values are copied into a cell and out of it, no
//! reference is handed out, and each access is `unsafe`: its `SAFETY` comment names what keeps the
//! threads apart. Bounds are checked all the same. Where the compiler sees that an index is in
//! bounds, it removes the check.
//!
//! [`SharedArray`](crate::SharedArray), [`DynamicSharedArray`](crate::DynamicSharedArray) and
//! [`GlobalMut`](crate::GlobalMut) are `Cells` by `Deref`, as an array and a vector are slices:
//! what is written for `&Cells<T>` takes each of them.

use crate::memory::bounds::{check, check_place};

/// Consecutive cells, in shared or global memory.
///
/// A copy of a `Cells` names the same memory, and may outlive the array that it came from. It must
/// not be used after that: each access promises that the memory is still there.
#[derive(Debug)]
pub struct Cells<T> {
    pointer: *mut T,
    length: usize,
}

impl<T> Clone for Cells<T> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Cells<T> {}

impl<T> Cells<T> {
    /// The cells that start at `pointer`.
    #[inline]
    pub(crate) const fn new(pointer: *mut T, length: usize) -> Self {
        Cells { pointer, length }
    }
}

impl<T: Copy> Cells<T> {
    /// How many cells there are.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.length
    }

    /// True if there are none.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The value at `index`.
    ///
    /// # Safety
    /// The memory is still there, the cell has been given a value, and no other thread writes it at
    /// the same time: a barrier, program order or the algorithm keeps them apart.
    ///
    /// # Panics
    /// If `index` is past the end.
    #[inline]
    #[must_use]
    #[track_caller]
    pub unsafe fn get(&self, index: usize) -> T {
        check(index, self.length);
        // SAFETY: in bounds; the caller says that the cell has a value and that nobody writes it
        // meanwhile.
        unsafe { self.pointer.add(index).read() }
    }

    /// The value at `index`, which is known to be in bounds.
    ///
    /// # Safety
    /// As for [`get`](Self::get), and `index` is below the length.
    #[inline]
    #[must_use]
    pub unsafe fn get_unchecked(&self, index: usize) -> T {
        debug_assert!(index < self.length);
        // SAFETY: the caller says that it is in bounds, has a value, and that nobody writes it
        // meanwhile.
        unsafe { self.pointer.add(index).read() }
    }

    /// Sets the cell at `index`.
    ///
    /// # Safety
    /// The memory is still there, and no other thread reads or writes the cell before the next
    /// barrier, unless the algorithm keeps the threads apart in another way.
    ///
    /// # Panics
    /// If `index` is past the end.
    #[inline]
    #[track_caller]
    pub unsafe fn set(&self, index: usize, value: T) {
        check(index, self.length);
        // SAFETY: in bounds; the caller says that nobody else touches the cell meanwhile.
        unsafe { self.pointer.add(index).write(value) }
    }

    /// Sets the cell at `index`, which is known to be in bounds.
    ///
    /// # Safety
    /// As for [`set`](Self::set), and `index` is below the length.
    #[inline]
    pub unsafe fn set_unchecked(&self, index: usize, value: T) {
        debug_assert!(index < self.length);
        // SAFETY: the caller says that it is in bounds and that nobody else touches it meanwhile.
        unsafe { self.pointer.add(index).write(value) }
    }

    /// The address of the cell at `index`, for an atomic.
    ///
    /// # Panics
    /// If `index` is past the end.
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn address_of(&self, index: usize) -> *mut T {
        check(index, self.length);
        self.pointer.wrapping_add(index)
    }

    /// The first cell's address.
    #[inline]
    #[must_use]
    pub fn as_ptr(&self) -> *mut T {
        self.pointer
    }
}

/// Rows of cells: a tile, `shared! { static TILE: [[f32; COLUMNS]; ROWS]; }`.
impl<T: Copy, const COLUMNS: usize> Cells<[T; COLUMNS]> {
    /// The value in this row and column.
    ///
    /// # Safety
    /// As for [`get`](Self::get).
    ///
    /// # Panics
    /// If `row` or `column` is past the end.
    #[inline]
    #[must_use]
    #[track_caller]
    pub unsafe fn get_at(&self, row: usize, column: usize) -> T {
        check_place((row, column), self.length, COLUMNS);
        // SAFETY: in bounds; the caller says that the cell has a value and that nobody writes it
        // meanwhile.
        unsafe { self.place(row, column).read() }
    }

    /// The value in this row and column, which are known to be in bounds.
    ///
    /// # Safety
    /// As for [`get`](Self::get); `row` is below the length, `column` below `COLUMNS`.
    #[inline]
    #[must_use]
    pub unsafe fn get_at_unchecked(&self, row: usize, column: usize) -> T {
        debug_assert!(row < self.length && column < COLUMNS);
        // SAFETY: the caller says that it is in bounds, has a value, and that nobody writes it
        // meanwhile.
        unsafe { self.place(row, column).read() }
    }

    /// Sets the cell in this row and column.
    ///
    /// # Safety
    /// As for [`set`](Self::set).
    ///
    /// # Panics
    /// If `row` or `column` is past the end.
    #[inline]
    #[track_caller]
    pub unsafe fn set_at(&self, row: usize, column: usize, value: T) {
        check_place((row, column), self.length, COLUMNS);
        // SAFETY: in bounds; the caller says that nobody else touches the cell meanwhile.
        unsafe { self.place(row, column).write(value) }
    }

    /// Sets the cell in this row and column, which are known to be in bounds.
    ///
    /// # Safety
    /// As for [`set`](Self::set); `row` is below the length, `column` below `COLUMNS`.
    #[inline]
    pub unsafe fn set_at_unchecked(&self, row: usize, column: usize, value: T) {
        debug_assert!(row < self.length && column < COLUMNS);
        // SAFETY: the caller says that it is in bounds and that nobody else touches it meanwhile.
        unsafe { self.place(row, column).write(value) }
    }

    #[inline]
    fn place(&self, row: usize, column: usize) -> *mut T {
        self.pointer
            .cast::<T>()
            .wrapping_add(row * COLUMNS + column)
    }
}
