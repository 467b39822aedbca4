//! Buffers over memory that something else owns: parts, views, mapped memory, a graph's own.

use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};
use std::ptr::drop_in_place;

use super::DeviceBuffer;
use crate::DeviceCopy;

/// A buffer over memory that something else owns. Dropping it drops the streams that it remembers,
/// and does not free the memory.
#[derive(Debug)]
pub(crate) struct Borrowed<T: DeviceCopy>(ManuallyDrop<DeviceBuffer<T>>);

impl<T: DeviceCopy> Borrowed<T> {
    /// Wraps a buffer from [`DeviceBuffer::borrow_raw`].
    pub(crate) fn new(buffer: ManuallyDrop<DeviceBuffer<T>>) -> Self {
        Self(buffer)
    }
}

impl<T: DeviceCopy> Deref for Borrowed<T> {
    type Target = DeviceBuffer<T>;

    fn deref(&self) -> &DeviceBuffer<T> {
        &self.0
    }
}

impl<T: DeviceCopy> DerefMut for Borrowed<T> {
    fn deref_mut(&mut self) -> &mut DeviceBuffer<T> {
        &mut self.0
    }
}

impl<T: DeviceCopy> Drop for Borrowed<T> {
    fn drop(&mut self) {
        let DeviceBuffer {
            address: _, // the owner's
            len: _,
            elements: _,
            device,
            order,
            pooled,
            whole: _,
        } = &mut *self.0;
        // SAFETY: the buffer itself is never dropped, and nothing uses it after this.
        unsafe {
            drop_in_place(device);
            drop_in_place(order);
            drop_in_place(pooled);
        }
    }
}
