//! Memory of another library in this process: of a program in C++, or of PyTorch.

use std::ops::{Deref, RangeBounds};

use crate::memory::buffer::Borrowed;
use crate::stream::order::Order;
use crate::{Device, DeviceBuffer, DeviceCopy, Part, Stream, late};

/// Memory that another library owns, as a buffer. It is read as a [`DeviceBuffer`], and
/// [`slice_mut`](Self::slice_mut) is for kernels that write it. [`DeviceBuffer::from_foreign`]
/// makes it.
///
/// When it is dropped, it waits for the work that uses the memory, and then drops its owner, which
/// gives the memory back. A graph cannot record it.
#[derive(Debug)]
pub struct Foreign<T: DeviceCopy, Owner: Send + 'static> {
    buffer: Borrowed<T>,
    /// Taken by the drop.
    owner: Option<Owner>,
}

impl<T: DeviceCopy> DeviceBuffer<T> {
    /// Makes a buffer of memory that another library owns. `owner` keeps the memory until it is
    /// dropped.
    ///
    /// ```
    /// use lanewise::{Device, DeviceBuffer};
    ///
    /// let device = Device::open()?;
    /// // In the place of another library.
    /// let numbers = DeviceBuffer::from_slice(&device, &[1.0f32, 2.0])?;
    /// let (address, len) = (numbers.address(), numbers.len());
    /// // SAFETY: `numbers` has the elements until it is dropped, and nothing else uses it.
    /// let mut foreign = unsafe { DeviceBuffer::<f32>::from_foreign(&device, address, len, numbers) };
    /// foreign.slice_mut(..).copy_from_slice(&[3.0, 4.0])?;
    /// assert_eq!(foreign.to_vec()?, [3.0, 4.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Safety
    /// - Until the owner is dropped, `address` is that of `len` initialised values of `T`, which
    ///   kernels on `device` can access.
    /// - Work of the other library on the memory has ended before this call. While the result
    ///   exists, others only read the memory, and only if nobody calls [`Foreign::slice_mut`].
    #[must_use]
    pub unsafe fn from_foreign<Owner: Send + 'static>(
        device: &Device,
        address: u64,
        len: usize,
        owner: Owner,
    ) -> Foreign<T, Owner> {
        // SAFETY: the caller promises the same while the owner exists, and the buffer waits for the
        // kernels that use it before it drops the owner.
        let buffer = unsafe { Self::borrow_raw(device, address, len) };
        Foreign {
            buffer: Borrowed::new(buffer),
            owner: Some(owner),
        }
    }
}

impl<T: DeviceCopy, Owner: Send + 'static> Foreign<T, Owner> {
    /// Returns a part of the buffer for writing: `&mut foreign.slice_mut(..)`, which is all of it,
    /// is an argument of a launch.
    ///
    /// It gives no `&mut DeviceBuffer`, because swapping that with another buffer would let the
    /// memory outlive its owner.
    ///
    /// # Panics
    /// If the range reaches past the end of the buffer, as for indexing.
    #[must_use]
    #[track_caller]
    pub fn slice_mut(&mut self, range: impl RangeBounds<usize>) -> Part<'_, T> {
        self.buffer.slice_mut(range)
    }
}

impl<T: DeviceCopy, Owner: Send + 'static> Deref for Foreign<T, Owner> {
    type Target = DeviceBuffer<T>;

    fn deref(&self) -> &DeviceBuffer<T> {
        &self.buffer
    }
}

impl<T: DeviceCopy, Owner: Send + 'static> Drop for Foreign<T, Owner> {
    fn drop(&mut self) {
        late::end(Ending {
            order: self.buffer.order().clone(),
            owner: self.owner.take(),
        });
    }
}

/// The memory of a buffer that was dropped.
struct Ending<Owner> {
    order: Order<Stream>,
    owner: Option<Owner>,
}

impl<Owner> Drop for Ending<Owner> {
    fn drop(&mut self) {
        // A drop cannot report errors: if a wait fails, the owner keeps the memory for ever.
        let mut users = self.order.streams().into_iter();
        if users.any(|user| user.synchronize().is_err()) {
            std::mem::forget(self.owner.take());
        }
    }
}
