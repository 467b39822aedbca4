//! Copies that the host waits for once they are queued, of buffers that graphs use.
//!
//! A plain copy holds its buffer until it is done, and a launch of a graph waits for whoever holds
//! one of its buffers. The copy may wait for a function that a stream calls on the host, and that
//! function for the thread that launches the graph. So such a copy goes through pinned memory: it
//! is queued like a launch, and waited for with nothing held.

use cust::memory::DeviceCopy;

use crate::{DeviceBuffer, MemoryError, PinnedBuffer};

impl<T: DeviceCopy> DeviceBuffer<T> {
    /// Returns the contents.
    ///
    /// # Errors
    /// The driver's error. After a fault in a kernel, every call on its context returns that error.
    #[track_caller]
    pub(super) fn staged(&self) -> Result<Box<[T]>, MemoryError> {
        // SAFETY: the copy fills it before anybody reads it.
        let mut staged = unsafe { PinnedBuffer::allocate(self.device(), self.len()) }?;
        let stream = self.device().default_stream();
        stream.copy_out(self, &mut staged)?.wait()?;
        Ok(staged.as_slice()?.into())
    }

    /// Replaces the contents by `host`, which is as long.
    ///
    /// # Errors
    /// What [`Self::staged`] fails with.
    #[track_caller]
    pub(super) fn fill_staged(&mut self, host: &[T]) -> Result<(), MemoryError> {
        let device = self.device().clone();
        // SAFETY: it is filled by the next statement, as long as it is.
        let staged = unsafe { PinnedBuffer::<T>::allocate(&device, host.len()) }?;
        // SAFETY: this many elements of newly allocated memory, which nobody else has.
        unsafe {
            staged
                .pointer()
                .copy_from_nonoverlapping(host.as_ptr(), host.len())
        };
        Ok(device.default_stream().copy_in(&staged, self)?.wait()?)
    }
}
