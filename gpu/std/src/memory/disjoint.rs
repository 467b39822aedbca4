//! An output slice in which each thread writes only its own elements.
//!
//! All threads of a launch get the same slice, so it cannot be a `&mut [T]`. A [`DisjointSlice`]
//! hands out one element at a time, to a thread whose [`ThreadIndex`] proves that no other thread
//! can get that element.

use core::marker::PhantomData;

use crate::memory::bounds::check;
use crate::memory::vector::Vector;
use crate::thread::{ThreadIndex, grid_stride, index_1d};

/// Proof that an element belongs to this thread alone: a [`ThreadIndex`], borrowed or by value.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not show that no other thread has the same element",
    label = "a `ThreadIndex` belongs here",
    note = "`thread::index_1d()` is this thread's: `output.get_mut(&index)`",
    note = "where the algorithm chooses another element, say so: `unsafe {{ output.get_unique_mut(i) }}`, or take a `GlobalMut<T>`"
)]
pub trait OwnIndex {
    /// Returns the thread's own index.
    fn own_index(&self) -> &ThreadIndex;
}

impl OwnIndex for ThreadIndex {
    #[inline]
    fn own_index(&self) -> &ThreadIndex {
        self
    }
}

impl<T: OwnIndex> OwnIndex for &T {
    #[inline]
    fn own_index(&self) -> &ThreadIndex {
        (**self).own_index()
    }
}

/// A slice in global memory in which each element belongs to one thread.
#[derive(Debug)]
pub struct DisjointSlice<'a, T> {
    pointer: *mut T,
    length: usize,
    memory: PhantomData<&'a mut [T]>,
}

impl<'a, T> DisjointSlice<'a, T> {
    /// Returns the number of elements in the slice.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.length
    }

    /// Returns whether there are no elements.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Shortens the slice to at most its first `length` elements.
    #[inline]
    pub fn truncate(&mut self, length: usize) {
        self.length = self.length.min(length);
    }

    /// Returns this thread's element, or `None` past the end of the slice (the grid is rounded up
    /// to whole blocks).
    ///
    /// The index is the proof that no other thread gets this element. Pass it by reference
    /// or by value.
    #[inline]
    pub fn get_mut(&mut self, index: impl OwnIndex) -> Option<&mut T> {
        let index = index.own_index();
        if index.get() < self.length {
            // SAFETY: in bounds; no other thread has this index, and this thread's reference
            // borrows the whole slice.
            Some(unsafe { &mut *self.pointer.add(index.get()) })
        } else {
            None
        }
    }

    /// Returns this thread's element with its index, for a 1-D launch; `None` past the end.
    #[inline]
    pub fn get_mut_indexed(&mut self) -> Option<(&mut T, ThreadIndex)> {
        let index = index_1d();
        let element = self.get_mut(&index)?;
        Some((element, index))
    }

    /// Returns this thread's elements, each with its index, so that the grid processes the whole
    /// slice: see [`grid_stride`](crate::thread::grid_stride).
    ///
    /// ```
    /// use lanewise_macros::kernel;
    /// use lanewise_std::DisjointSlice;
    ///
    /// #[kernel]
    /// pub fn add(a: &[f32], b: &[f32], mut sum: DisjointSlice<f32>) {
    ///     for (i, sum) in sum.grid_stride() {
    ///         *sum = a[i] + b[i];
    ///     }
    /// }
    /// ```
    #[inline]
    pub fn grid_stride(&mut self) -> impl Iterator<Item = (usize, &mut T)> {
        let pointer = self.pointer;
        grid_stride(self.length).map(move |i| {
            // SAFETY: in bounds; each index comes once, no other thread has it, and this thread's
            // references borrow the whole slice.
            (i, unsafe { &mut *pointer.add(i) })
        })
    }

    /// Returns the element at `index`, or `None` past the end. For algorithms in which no other
    /// thread uses this element.
    ///
    /// # Safety
    /// While the kernel runs, no other thread reads or writes the element at `index`.
    #[inline]
    pub unsafe fn get_unique_mut(&mut self, index: usize) -> Option<&mut T> {
        if index < self.length {
            // SAFETY: in bounds; the caller promises that the element belongs to this thread, and
            // the reference borrows the slice.
            Some(unsafe { &mut *self.pointer.add(index) })
        } else {
            None
        }
    }

    /// Returns the element at `index`, which belongs to this thread, without a bounds check.
    ///
    /// # Safety
    /// As for [`get_unique_mut`](Self::get_unique_mut), and `index` is below the length.
    #[inline]
    pub unsafe fn get_unchecked_mut(&mut self, index: usize) -> &mut T {
        debug_assert!(index < self.length);
        // SAFETY: the caller promises that the element is in bounds and belongs to this thread. The
        // reference borrows the slice.
        unsafe { &mut *self.pointer.add(index) }
    }

    /// Writes `value` at `index`, for algorithms in which no other thread uses this element.
    ///
    /// # Safety
    /// While the kernel runs, no other thread reads or writes the element at `index`.
    ///
    /// # Panics
    /// If `index` is past the end.
    #[inline]
    #[track_caller]
    pub unsafe fn write_unique(&mut self, index: usize, value: T) {
        check(index, self.length);
        // SAFETY: in bounds; the caller promises that the element belongs to this thread.
        unsafe { self.pointer.add(index).write(value) }
    }

    /// Returns the slice as vectors, which belong to the threads as elements do, and the elements
    /// that are left over after them. Returns `None` if the first element is not where a vector may
    /// begin.
    ///
    /// It is unsafe because the owners change: thread 1 owns element 1 of the slice, and elements 4
    /// to 7 of the slice as vectors of four. Safe kernels take a slice of vectors, for which the
    /// host passes `buffer.as_vectors_mut()`.
    ///
    /// # Safety
    /// While the kernel runs, no thread accesses an element of these vectors by the slice itself,
    /// or by vectors of another length.
    #[inline]
    #[must_use]
    pub unsafe fn into_vectors<V>(self) -> Option<(DisjointSlice<'a, V>, DisjointSlice<'a, T>)>
    where
        V: Vector<Element = T>,
    {
        if !self.pointer.cast::<V>().is_aligned() {
            return None;
        }
        let (vectors, rest) = (self.length / V::LANES, self.length % V::LANES);
        // SAFETY: a vector is this many elements one after another, so the vectors and the rest are
        // disjoint pieces of the slice. The caller promises that nothing else accesses them.
        unsafe {
            Some((
                DisjointSlice::from_raw_parts(self.pointer.cast(), vectors),
                DisjointSlice::from_raw_parts(self.pointer.add(self.length - rest), rest),
            ))
        }
    }

    /// Returns the address of the first element.
    #[inline]
    #[must_use]
    pub fn as_mut_ptr(&mut self) -> *mut T {
        self.pointer
    }

    /// Returns the address and the length, which `#[kernel]` passes on when a
    /// kernel launches another.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn raw_parts(&self) -> (*mut T, usize) {
        (self.pointer, self.length)
    }

    /// Makes the slice that starts at `pointer`. `#[kernel]` calls it with the
    /// slice's two parameters.
    ///
    /// # Safety
    /// `pointer` is aligned to [`slice_alignment`](crate::kernel::slice_alignment), not null, and
    /// valid for `length` elements for `'a`, and only the threads of this launch access them.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub unsafe fn from_raw_parts(pointer: *mut T, length: usize) -> Self {
        // SAFETY: the caller promises that `pointer` is not null; see `kernel::read_slice`.
        unsafe { core::hint::assert_unchecked(!pointer.is_null()) };
        DisjointSlice {
            pointer,
            length,
            memory: PhantomData,
        }
    }
}

crate::kernel::outputs!(DisjointSlice, WriteSlice);
