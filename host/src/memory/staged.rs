//! Synchronous copies of buffers that graphs use: they are queued first, and the host waits
//! for them afterwards.
//!
//! A plain copy holds its buffer until it is done, and a launch of a graph waits until none of its
//! buffers is held. The copy may wait for a function that a stream calls on the host, and that
//! function may wait for the thread that launches the graph. That would be a deadlock. So such a
//! copy goes through pinned memory: it is queued like a launch, and the host waits for it while the
//! buffer is not held.

use crate::{DeviceBuffer, DeviceCopy, MemoryError, PinnedBuffer};

impl<T: DeviceCopy> DeviceBuffer<T> {
    /// Returns the contents of the buffer.
    ///
    /// # Errors
    /// The driver's error. After a fault in a kernel, every call on its context returns that error.
    #[track_caller]
    pub(super) fn staged(&self) -> Result<Box<[T]>, MemoryError> {
        // SAFETY: the copy fills the memory before it is read.
        let mut staged = unsafe { PinnedBuffer::allocate(self.device(), self.len()) }?;
        let stream = self.device().default_stream();
        stream.copy_out(self, &mut staged)?.wait()?;
        Ok(staged.as_slice()?.into())
    }

    /// Replaces the contents with `host`, which has the same length.
    ///
    /// # Errors
    /// As [`Self::staged`].
    #[track_caller]
    pub(super) fn fill_staged(&mut self, host: &[T]) -> Result<(), MemoryError> {
        let device = self.device().clone();
        // SAFETY: the next statement fills all of the memory.
        let staged = unsafe { PinnedBuffer::<T>::allocate(&device, host.len()) }?;
        // SAFETY: the memory was newly allocated with this many elements, and nothing else uses it.
        unsafe {
            staged
                .pointer()
                .copy_from_nonoverlapping(host.as_ptr(), host.len())
        };
        Ok(device.default_stream().copy_in(&staged, self)?.wait()?)
    }
}
