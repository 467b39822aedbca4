//! Global memory that threads share: [`Cells`] that live as long as the buffer.

use core::marker::PhantomData;
use core::ops::Deref;

use crate::Cells;
use crate::memory::vector::Vector;

/// A slice of [`Cells`] in global memory.
#[derive(Debug)]
pub struct GlobalMut<'a, T> {
    cells: Cells<T>,
    memory: PhantomData<&'a [core::cell::UnsafeCell<T>]>,
}

impl<T> Clone for GlobalMut<'_, T> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for GlobalMut<'_, T> {}

impl<T> Deref for GlobalMut<'_, T> {
    type Target = Cells<T>;

    #[inline]
    fn deref(&self) -> &Cells<T> {
        &self.cells
    }
}

impl<'a, T: Copy> GlobalMut<'a, T> {
    /// Returns at most `length` elements from `start` on. There are fewer, or none, if the
    /// slice ends earlier.
    #[inline]
    #[must_use]
    pub fn part(&self, start: usize, length: usize) -> Self {
        let start = start.min(self.len());
        let length = length.min(self.len() - start);
        // SAFETY: `start` is at most the length, so the address is in the slice or one
        // past its end.
        let pointer = unsafe { self.as_ptr().add(start) };
        GlobalMut {
            cells: Cells::new(pointer, length),
            memory: PhantomData,
        }
    }

    /// Returns the slice as vectors, and the elements that are left over after them. Returns `None`
    /// if the first element is not where a vector may begin.
    #[inline]
    #[must_use]
    pub fn vectors<V: Vector<Element = T>>(&self) -> Option<(GlobalMut<'a, V>, Self)> {
        let pointer = self.as_ptr().cast::<V>();
        let vectors = self.len() / V::LANES;
        pointer.is_aligned().then(|| {
            let whole = GlobalMut {
                cells: Cells::new(pointer, vectors),
                memory: PhantomData,
            };
            (whole, self.part(vectors * V::LANES, V::LANES))
        })
    }

    /// Returns the address and the length, which `#[kernel]` passes on when a
    /// kernel launches another.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn raw_parts(&self) -> (*mut T, usize) {
        (self.as_ptr(), self.len())
    }

    /// Makes the slice that starts at `pointer`. `#[kernel]` calls it with the
    /// slice's two parameters.
    ///
    /// # Safety
    /// `pointer` is aligned to [`slice_alignment`](crate::kernel::slice_alignment), not null, and
    /// valid for `length` elements for `'a`.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub unsafe fn from_raw_parts(pointer: *mut T, length: usize) -> Self {
        // SAFETY: the caller promises it; see `kernel::read_slice`.
        unsafe { crate::kernel::assume_slice(pointer, length) };
        GlobalMut {
            cells: Cells::new(pointer, length),
            memory: PhantomData,
        }
    }
}

crate::kernel::outputs!(GlobalMut: Copy, CellSlice);
