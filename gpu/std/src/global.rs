//! Global memory that threads share.
//!
//! Where one thread reads what another wrote, no type shows that it is right: a barrier, an atomic or the end of a kernel
//! does. A [`GlobalMut`] therefore behaves as a slice of cells: copies go in and out, no reference is handed out, and each
//! access is `unsafe`, with a line at it that names what keeps the threads apart. Bounds are checked all the same; where
//! the compiler sees that an index is in bounds, the check is gone.

use core::marker::PhantomData;

/// A slice of cells in global memory.
#[derive(Debug)]
pub struct GlobalMut<'a, T> {
    pointer: *mut T,
    length: usize,
    memory: PhantomData<&'a [core::cell::UnsafeCell<T>]>,
}

impl<T> Clone for GlobalMut<'_, T> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for GlobalMut<'_, T> {}

impl<T: Copy> GlobalMut<'_, T> {
    /// Elements in the slice.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.length
    }

    /// True if there are no elements.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The element at `index`.
    ///
    /// # Safety
    /// No other thread writes the element at the same time: a barrier, or the algorithm, keeps them apart.
    ///
    /// # Panics
    /// If `index` is past the end.
    #[inline]
    #[must_use]
    pub unsafe fn get(&self, index: usize) -> T {
        assert!(index < self.length, "read past the end of a slice");
        // SAFETY: in bounds; the caller says that nobody writes the element meanwhile.
        unsafe { self.pointer.add(index).read() }
    }

    /// The element at `index`, which is known to be in bounds.
    ///
    /// # Safety
    /// As for [`get`](Self::get), and `index` is below the length.
    #[inline]
    #[must_use]
    pub unsafe fn get_unchecked(&self, index: usize) -> T {
        debug_assert!(index < self.length);
        // SAFETY: the caller says that it is in bounds and that nobody writes it meanwhile.
        unsafe { self.pointer.add(index).read() }
    }

    /// Sets the element at `index`.
    ///
    /// # Safety
    /// No other thread reads or writes the element at the same time.
    ///
    /// # Panics
    /// If `index` is past the end.
    #[inline]
    pub unsafe fn set(&self, index: usize, value: T) {
        assert!(index < self.length, "write past the end of a slice");
        // SAFETY: in bounds; the caller says that nobody else touches the element meanwhile.
        unsafe { self.pointer.add(index).write(value) }
    }

    /// Sets the element at `index`, which is known to be in bounds.
    ///
    /// # Safety
    /// As for [`set`](Self::set), and `index` is below the length.
    #[inline]
    pub unsafe fn set_unchecked(&self, index: usize, value: T) {
        debug_assert!(index < self.length);
        // SAFETY: the caller says that it is in bounds and that nobody else touches it meanwhile.
        unsafe { self.pointer.add(index).write(value) }
    }

    /// The part from element `start` with up to `length` elements; what of it lies past the end is left out.
    #[inline]
    #[must_use]
    pub fn part(&self, start: usize, length: usize) -> Self {
        let start = start.min(self.length);
        let length = length.min(self.length - start);
        // SAFETY: `start` is at most the length, so the address is in the slice or one past its end.
        let pointer = unsafe { self.pointer.add(start) };
        GlobalMut {
            pointer,
            length,
            memory: PhantomData,
        }
    }

    /// The address of the element at `index`, for an atomic.
    ///
    /// # Panics
    /// If `index` is past the end.
    #[inline]
    #[must_use]
    pub fn address_of(&self, index: usize) -> *mut T {
        assert!(index < self.length, "address past the end of a slice");
        self.pointer.wrapping_add(index)
    }

    /// The first element's address.
    #[inline]
    #[must_use]
    pub fn as_ptr(&self) -> *mut T {
        self.pointer
    }

    /// Address and length: what `#[kernel]` passes on when a kernel launches another.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn raw_parts(&self) -> (*mut T, usize) {
        (self.pointer, self.length)
    }

    /// The slice that starts at `pointer`: what `#[kernel]` makes of its two parameters.
    ///
    /// # Safety
    /// `pointer` is aligned, not null, and valid for `length` elements for `'a`.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub unsafe fn from_raw_parts(pointer: *mut T, length: usize) -> Self {
        // SAFETY: the caller says so; see `kernel::read_slice`.
        unsafe { core::hint::assert_unchecked(!pointer.is_null()) };
        GlobalMut {
            pointer,
            length,
            memory: PhantomData,
        }
    }
}
