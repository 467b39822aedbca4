//! Memory on the device, typed, of any length.
//!
//! A [`DeviceBuffer`] is `cust`'s with three differences. It may be empty. Errors name the caller's
//! line. And it keeps order between streams: it remembers on which streams it was last written and
//! read; a launch on another stream first waits for the writes, and if it writes, for the reads
//! too. So through the safe interface no kernel accesses a buffer that another one writes at the
//! same time. To let two kernels write different parts at once, split the buffer
//! ([`DeviceBuffer::parts`]); [`DeviceBuffer::forget_order`] is for other uses that may overlap.
//!
//! The copies here are synchronous. They run on the legacy default stream, which waits for every
//! stream from [`Device::stream`], and wait for the non-blocking streams that have used the buffer.
//! For asynchronous copies see [`Stream::copy_in`], [`Stream::copy_out`] and [`Stream::copy`].
//! Source: CUDA driver API, "Memory Management"; CUDA study notes, item 6.

mod allocate;
mod borrowed;
mod error;
mod fill;
mod uses;

use std::mem::{ManuallyDrop, size_of};
use std::panic::Location;

use cust::memory::{CopyDestination, DeviceBuffer as CustBuffer, DeviceCopy};
use cust::sys;

pub(crate) use borrowed::Borrowed;
pub use error::MemoryError;

use crate::memory::pattern::Pattern;
use crate::stream::order::{Access, Order};
use crate::{Device, DriverError, Stream};

/// `len` values of `T` in the device's memory. Freed when dropped.
#[derive(Debug)]
pub struct DeviceBuffer<T: DeviceCopy> {
    // Dropped by hand, once the device's context is current on the dropping thread.
    memory: ManuallyDrop<CustBuffer<T>>,
    device: Device,
    order: Order<Stream>,
    /// The stream in whose order the memory was allocated and is freed, where it is from a pool.
    pooled: Option<Stream>,
    /// Whether it owns its memory and no host memory shares it, which graphs require.
    whole: bool,
}

impl<T: DeviceCopy> DeviceBuffer<T> {
    /// Makes a buffer with a copy of `host`.
    ///
    /// # Errors
    /// [`MemoryError::OutOfMemory`], or the driver's error.
    #[track_caller]
    pub fn from_slice(device: &Device, host: &[T]) -> Result<Self, MemoryError> {
        let at = Location::caller();
        let mut buffer = Self::allocate(device, host.len(), at)?;
        buffer.copy_in(host, at)?;
        Ok(buffer)
    }

    /// A new buffer of `len` elements whose bytes are all zero.
    ///
    /// # Errors
    /// What [`DeviceBuffer::from_slice`] fails with.
    #[track_caller]
    pub fn zeroed(device: &Device, len: usize) -> Result<Self, MemoryError>
    where
        T: bytemuck::Zeroable,
    {
        let at = Location::caller();
        let mut buffer = Self::allocate(device, len, at)?;
        buffer.set_all(Pattern::ZERO, at)?;
        Ok(buffer)
    }

    /// Makes a buffer of `len` zeroes from the device's memory pool, in the order of `stream`.
    /// Unlike other allocations, neither this nor dropping the buffer makes the host wait. The
    /// memory goes back to the pool once all uses of the buffer are over.
    ///
    /// # Errors
    /// What [`DeviceBuffer::from_slice`] fails with.
    #[track_caller]
    pub fn zeroed_on(stream: &Stream, len: usize) -> Result<Self, MemoryError>
    where
        T: bytemuck::Zeroable,
    {
        Self::zeroed_from(None, stream, len)
    }

    /// Returns the contents, copied to the host.
    ///
    /// # Errors
    /// The driver's error, or the fault of a kernel that ran before.
    #[track_caller]
    pub fn to_vec(&self) -> Result<Vec<T>, MemoryError> {
        let at = Location::caller();
        if self.is_in_graphs() {
            return self.staged().map(|staged| staged.to_vec());
        }
        let begun = self.use_now(Access::Read, at)?;
        let mut host: Vec<T> = Vec::with_capacity(self.len());
        // SAFETY: there is room for as many elements as the buffer has, all of them initialised on
        // the device; the vector is that long only once they have been copied.
        unsafe {
            if !self.is_empty() {
                let bytes = self.len() * size_of::<T>();
                let result = sys::cuMemcpyDtoH_v2(host.as_mut_ptr().cast(), self.address(), bytes);
                DriverError::check("cuMemcpyDtoH", result, at)?;
            }
            host.set_len(self.len());
        }
        self.used_now(begun, Access::Read, at)?;
        Ok(host)
    }

    /// Copies the contents to `host`.
    ///
    /// # Errors
    /// [`MemoryError::LengthMismatch`], or the driver's error, as for [`Self::to_vec`].
    #[track_caller]
    pub fn copy_to_slice(&self, host: &mut [T]) -> Result<(), MemoryError> {
        let at = Location::caller();
        if host.len() != self.len() {
            return Err(MemoryError::LengthMismatch {
                buffer: self.len(),
                host: host.len(),
                at,
            });
        }
        if self.is_empty() {
            return Ok(());
        }
        if self.is_in_graphs() {
            return self.staged().map(|staged| host.copy_from_slice(&staged));
        }
        let begun = self.use_now(Access::Read, at)?;
        self.memory
            .copy_to(host)
            .map_err(|error| DriverError::from_cust("cuMemcpyDtoH", error, at))?;
        Ok(self.used_now(begun, Access::Read, at)?)
    }

    /// Replaces the contents by `host`.
    ///
    /// # Errors
    /// [`MemoryError::LengthMismatch`], or the driver's error.
    #[track_caller]
    pub fn copy_from_slice(&mut self, host: &[T]) -> Result<(), MemoryError> {
        self.copy_in(host, Location::caller())
    }

    #[track_caller]
    fn copy_in(&mut self, host: &[T], at: &'static Location<'static>) -> Result<(), MemoryError> {
        if host.len() != self.len() {
            return Err(MemoryError::LengthMismatch {
                buffer: self.len(),
                host: host.len(),
                at,
            });
        }
        if host.is_empty() {
            return Ok(());
        }
        if self.is_in_graphs() {
            return self.fill_staged(host);
        }
        let begun = self.use_now(Access::Write, at)?;
        self.memory
            .copy_from(host)
            .map_err(|error| DriverError::from_cust("cuMemcpyHtoD", error, at))?;
        Ok(self.used_now(begun, Access::Write, at)?)
    }

    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.memory.len()
    }

    /// Returns whether the buffer has no elements.
    pub fn is_empty(&self) -> bool {
        self.memory.is_empty()
    }

    /// Returns the address on the device. An empty buffer has no memory; its address is aligned and
    /// not null, as Rust requires of an empty slice's pointer.
    pub fn address(&self) -> u64 {
        if self.is_empty() || size_of::<T>() == 0 {
            return align_of::<T>() as u64;
        }
        self.memory.as_device_ptr().as_raw()
    }

    /// Returns the device that the buffer is on.
    pub fn device(&self) -> &Device {
        &self.device
    }
}
