//! Buffers over memory that something else owns: parts, views, mapped memory, a graph's own.

use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};
use std::ptr::drop_in_place;

use cust::memory::DeviceCopy;

use super::DeviceBuffer;

/// Such a buffer. Dropped, it lets go of the streams that it remembers, and the memory stays.
#[derive(Debug)]
pub(crate) struct Borrowed<T: DeviceCopy>(ManuallyDrop<DeviceBuffer<T>>);

impl<T: DeviceCopy> Borrowed<T> {
    /// Takes what [`DeviceBuffer::borrow_raw`] gives.
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
            memory: _, // the owner's
            device,
            order,
            pooled,
            whole: _,
        } = &mut *self.0;
        // SAFETY: the buffer itself is never dropped, and nobody has it after this.
        unsafe {
            drop_in_place(device);
            drop_in_place(order);
            drop_in_place(pooled);
        }
    }
}
