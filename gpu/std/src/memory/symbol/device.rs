//! A static's memory.

use core::cell::UnsafeCell;

/// Memory that changes behind the compiler's back: the host writes it.
#[derive(Debug)]
#[repr(transparent)]
pub(super) struct Cell<T>(UnsafeCell<T>);

impl<T> Cell<T> {
    pub(super) const fn new(value: T) -> Self {
        Cell(UnsafeCell::new(value))
    }

    #[inline]
    pub(super) const fn address(&self) -> *mut T {
        self.0.get()
    }
}
