//! Memory that threads share, as cells with the same methods for shared, dynamic shared
//! and global memory.
//!
//! When one thread reads what another wrote, no type can prove that there is no data race. A
//! barrier, an atomic or the end of a kernel prevents it. So values are copied into a cell and out
//! of it, and no reference is handed out. Each access is `unsafe`, and its `SAFETY` comment names
//! what orders the threads. Bounds are still checked. Where the compiler can prove that an index is
//! in bounds, it removes the check.
//!
//! [`SharedArray`](crate::SharedArray), [`DynamicSharedArray`](crate::DynamicSharedArray) and
//! [`GlobalMut`](crate::GlobalMut) dereference to `Cells`, as a vector dereferences to a slice. A
//! function that takes `&Cells<T>` accepts each of them.

use crate::memory::bounds::{check, check_place};

/// Consecutive cells, in shared or global memory.
///
/// A copy of a `Cells` refers to the same memory, and may outlive the array that it came
/// from. It must not be used after that: the caller of each access promises that the memory
/// is still allocated.
///
/// ```
/// use lanewise_macros::{kernel, shared};
/// use lanewise_std::Cells;
/// use lanewise_std::thread::{sync_threads, thread_idx_x};
///
/// /// Shared memory and [`GlobalMut`](crate::GlobalMut) are cells both.
/// fn swap_halves(of: &Cells<u32>, thread: usize) -> u32 {
///     if of.is_empty() {
///         return 0;
///     }
///     // SAFETY: each thread sets its own cell, and all pass the barrier before they read.
///     unsafe {
///         of.set(thread, thread as u32);
///         sync_threads();
///         of.get((thread + of.len() / 2) % of.len())
///     }
/// }
///
/// #[kernel]
/// #[launch_contract(dims = 1, block = 32)]
/// pub fn swap_in_a_table() {
///     shared! {
///         static LINE: [u32; 32];
///         static TABLE: [[u32; 8]; 4];
///     }
///     let thread = thread_idx_x() as usize;
///     let (row, column) = (thread / 8, thread % 8);
///     let other = swap_halves(&LINE, thread);
///     // SAFETY: as above; the row and the column are in bounds.
///     unsafe {
///         TABLE.set_at_unchecked(row, column, other);
///         TABLE.set_at(row, column, TABLE.get_at_unchecked(row, column) + TABLE.get_at(row, column));
///         LINE.set_unchecked(thread, LINE.get_unchecked(thread) + 1);
///     }
/// }
/// ```
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
    /// Makes the cells that start at `pointer`.
    #[inline]
    pub(crate) const fn new(pointer: *mut T, length: usize) -> Self {
        Cells { pointer, length }
    }
}

impl<T: Copy> Cells<T> {
    /// Returns the number of cells.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.length
    }

    /// Returns whether there are no cells.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Returns the value at `index`.
    ///
    /// # Safety
    /// The memory is still allocated, and the cell has been given a value. No other thread writes
    /// the cell at the same time: a barrier, program order or the algorithm orders the accesses.
    ///
    /// # Panics
    /// If `index` is past the end.
    #[inline]
    #[must_use]
    #[track_caller]
    pub unsafe fn get(&self, index: usize) -> T {
        check(index, self.length);
        // SAFETY: in bounds; the caller promises that the cell has a value and that no thread
        // writes it at the same time.
        unsafe { self.pointer.add(index).read() }
    }

    /// Returns the value at `index` without a bounds check.
    ///
    /// # Safety
    /// As for [`get`](Self::get), and `index` is below the length.
    #[inline]
    #[must_use]
    pub unsafe fn get_unchecked(&self, index: usize) -> T {
        debug_assert!(index < self.length);
        // SAFETY: the caller promises that the cell is in bounds and has a value, and that no
        // thread writes it at the same time.
        unsafe { self.pointer.add(index).read() }
    }

    /// Sets the cell at `index`.
    ///
    /// # Safety
    /// The memory is still allocated. No other thread reads or writes the cell before the next
    /// barrier, unless the algorithm orders the accesses in another way.
    ///
    /// # Panics
    /// If `index` is past the end.
    #[inline]
    #[track_caller]
    pub unsafe fn set(&self, index: usize, value: T) {
        check(index, self.length);
        // SAFETY: in bounds; the caller promises that no other thread accesses the cell at
        // the same time.
        unsafe { self.pointer.add(index).write(value) }
    }

    /// Sets the cell at `index` without a bounds check.
    ///
    /// # Safety
    /// As for [`set`](Self::set), and `index` is below the length.
    #[inline]
    pub unsafe fn set_unchecked(&self, index: usize, value: T) {
        debug_assert!(index < self.length);
        // SAFETY: the caller promises that the cell is in bounds and that no other thread accesses
        // it at the same time.
        unsafe { self.pointer.add(index).write(value) }
    }

    /// Returns the address of the cell at `index`, for an atomic.
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

    /// Returns the address of the first cell.
    #[inline]
    #[must_use]
    pub fn as_ptr(&self) -> *mut T {
        self.pointer
    }
}

/// Rows of cells, which form a tile: `shared! { static TILE: [[f32; COLUMNS]; ROWS]; }`.
impl<T: Copy, const COLUMNS: usize> Cells<[T; COLUMNS]> {
    /// Returns the value in this row and column.
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
        // SAFETY: in bounds; the caller promises that the cell has a value and that no thread
        // writes it at the same time.
        unsafe { self.place(row, column).read() }
    }

    /// Returns the value in this row and column without a bounds check.
    ///
    /// # Safety
    /// As for [`get`](Self::get); `row` is below the length, `column` below `COLUMNS`.
    #[inline]
    #[must_use]
    pub unsafe fn get_at_unchecked(&self, row: usize, column: usize) -> T {
        debug_assert!(row < self.length && column < COLUMNS);
        // SAFETY: the caller promises that the cell is in bounds and has a value, and that no
        // thread writes it at the same time.
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
        // SAFETY: in bounds; the caller promises that no other thread accesses the cell at
        // the same time.
        unsafe { self.place(row, column).write(value) }
    }

    /// Sets the cell in this row and column without a bounds check.
    ///
    /// # Safety
    /// As for [`set`](Self::set); `row` is below the length, `column` below `COLUMNS`.
    #[inline]
    pub unsafe fn set_at_unchecked(&self, row: usize, column: usize, value: T) {
        debug_assert!(row < self.length && column < COLUMNS);
        // SAFETY: the caller promises that the cell is in bounds and that no other thread accesses
        // it at the same time.
        unsafe { self.place(row, column).write(value) }
    }

    #[inline]
    fn place(&self, row: usize, column: usize) -> *mut T {
        self.pointer
            .cast::<T>()
            .wrapping_add(row * COLUMNS + column)
    }
}
