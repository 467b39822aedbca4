//! A static's name: on the host it has no memory, so that nobody takes a copy there for the one on the device.

use core::marker::PhantomData;

/// The name of what is on the device.
#[derive(Debug)]
pub(super) struct Cell<T> {
    name: &'static str,
    value: PhantomData<T>,
}

impl<T: Copy> Cell<T> {
    pub(super) const fn new(_: T) -> Self {
        Cell {
            name: "",
            value: PhantomData,
        }
    }

    pub(super) const fn named(self, name: &'static str) -> Self {
        Cell {
            name,
            value: PhantomData,
        }
    }

    pub(super) const fn name(&self) -> &'static str {
        self.name
    }

    pub(super) fn address(&self) -> *mut T {
        crate::device_only(self.name)
    }
}
