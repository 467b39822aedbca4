//! The memory of a static on the device.

use core::cell::UnsafeCell;

/// Memory that the host writes, so that its value may change without a write that
/// the compiler sees.
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
