//! Memory that a thread has alone, and can give to a child.
//!
//! A child runs beside its parent, and no thread can wait for it. So a thread that launches a child
//! must have the memory alone, and has it no longer afterwards. [`Owned`] is such memory. The types
//! of outputs give it to the first thread of a block. Either no other thread accesses it any more
//! (`Owned<T>`), or other threads may until the grid ends (`Owned<T, Tail>`). The memory is that of
//! a kernel's parameters, which the host lends until the grid and all of its children have ended.

use core::marker::PhantomData;
use core::ops::{Deref, DerefMut};

/// Elements in global memory that belong to this thread, from now on or when the grid has ended:
/// `When` is [`Now`] or [`Tail`].
#[derive(Debug)]
pub struct Owned<'a, T, When = Now> {
    first: *mut T,
    length: usize,
    memory: PhantomData<(&'a mut [T], When)>,
}

/// No other thread accesses the memory any more.
#[derive(Clone, Copy, Debug)]
pub enum Now {}

/// Other threads of the grid may access the memory until the grid ends.
#[derive(Clone, Copy, Debug)]
pub enum Tail {}

impl<'a, T, When> Owned<'a, T, When> {
    /// Makes it of its parts.
    ///
    /// # Safety
    /// The elements are those of a kernel's parameter, and valid for `'a`. No other `Owned` has
    /// them. No other thread accesses them from `When` on; for `Tail`, none accesses the first one
    /// at all.
    #[inline(always)]
    pub(crate) unsafe fn new(first: *mut T, length: usize) -> Self {
        Owned {
            first,
            length,
            memory: PhantomData,
        }
    }
}

impl<T, When> Owned<'_, T, When> {
    /// Returns the address of the first element, and the number of elements.
    #[inline(always)]
    pub(crate) fn into_raw_parts(self) -> (*mut T, usize) {
        (self.first, self.length)
    }
}

impl<T> Deref for Owned<'_, T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        // SAFETY: the elements are valid, and this thread has them alone.
        unsafe { core::slice::from_raw_parts(self.first, self.length) }
    }
}

impl<T> DerefMut for Owned<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as above.
        unsafe { core::slice::from_raw_parts_mut(self.first, self.length) }
    }
}

impl<'a, T> Owned<'a, T> {
    /// Returns the memory for a child that begins when this grid has ended.
    #[inline]
    #[must_use]
    pub fn in_tail(self) -> Owned<'a, T, Tail> {
        // SAFETY: this thread has the elements alone.
        unsafe { Owned::new(self.first, self.length) }
    }
}

impl<T: Copy> Owned<'_, T, Tail> {
    /// Returns the number of elements.
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

    /// Returns the first element. The others may still be in use.
    #[inline]
    #[must_use]
    pub fn first(&self) -> Option<T> {
        // SAFETY: it is valid, and no other thread accesses it.
        (self.length > 0).then(|| unsafe { self.first.read() })
    }
}
