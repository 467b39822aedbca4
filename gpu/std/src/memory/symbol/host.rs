//! A static on the host, where kernels are only type-checked. It has no memory there, so that a
//! copy on the host cannot be mistaken for the static on the device.

use core::marker::PhantomData;

/// The type of the value that is on the device.
#[derive(Debug)]
pub(super) struct Cell<T>(PhantomData<T>);

impl<T: Copy> Cell<T> {
    pub(super) const fn new(_: T) -> Self {
        Cell(PhantomData)
    }

    pub(super) fn address(&self) -> *mut T {
        crate::device_only("a static of the device")
    }
}
