//! Memory on the device, typed, of any length.
//!
//! A [`DeviceBuffer`] differs from `cust`'s buffer in three ways. It may be empty. Errors
//! name the caller's line. And it keeps order between streams: it remembers the streams on
//! which it was last written and read. A launch on another stream first waits for the writes.
//! If it writes, it waits for the reads too. So through the safe interface no kernel accesses
//! a buffer while another kernel writes it. To let two kernels write different parts at the
//! same time, split the buffer ([`DeviceBuffer::chunks_mut`]). For other uses that may overlap
//! there is [`DeviceBuffer::forget_order`].
//!
//! The copies here are synchronous. They run on the legacy default stream, which waits for
//! every stream from [`Device::stream`]. They also wait for the non-blocking streams that
//! have used the buffer. For asynchronous copies see [`Stream::copy_in`],
//! [`Stream::copy_out`] and [`Stream::copy`].
//! Source: CUDA driver API, "Memory Management"; Professional CUDA C Programming, chapter 2.

mod allocate;
mod borrowed;
mod error;
mod fill;
mod uses;

use std::marker::PhantomData;
use std::mem::size_of;
use std::panic::Location;

use lanewise_driver::api;
use lanewise_std::kernel::slice_alignment;

pub(crate) use borrowed::Borrowed;
pub use error::MemoryError;

use crate::memory::pattern::Pattern;
use crate::stream::order::{Access, Order};
use crate::{Device, DeviceCopy, DriverError, Stream};

/// `len` values of `T` in the device's memory. The memory is freed when the buffer is dropped.
#[derive(Debug)]
pub struct DeviceBuffer<T: DeviceCopy> {
    /// The address, which is 0 if there are no bytes.
    address: u64,
    len: usize,
    elements: PhantomData<T>,
    device: Device,
    order: Order<Stream>,
    /// The stream on which the memory was allocated and will be freed, if it is from a pool.
    pooled: Option<Stream>,
    /// Whether the buffer owns its memory, and the memory is not shared with the host.
    /// Graphs require that.
    whole: bool,
}

impl<T: DeviceCopy> DeviceBuffer<T> {
    /// Makes a buffer that contains a copy of `host`.
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

    /// Makes a buffer of `len` elements whose bytes are all zero.
    ///
    /// # Errors
    /// As [`DeviceBuffer::from_slice`].
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

    /// Makes a buffer of `len` elements that nothing has written yet. It costs no pass over the
    /// memory, as [`DeviceBuffer::zeroed`] does.
    ///
    /// Use it for what a kernel writes completely. On a GPU the elements have arbitrary values
    /// until then. On the simulated GPU the check `init` reports an element that the kernel left
    /// out, where it is used: in a buffer of zeroes it would go unseen.
    ///
    /// ```
    /// # use lanewise::{Device, DeviceBuffer};
    /// # let device = Device::open()?;
    /// let mut squares = DeviceBuffer::<f32>::uninit(&device, 1 << 20)?;
    /// # squares.fill(0.0)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`DeviceBuffer::from_slice`].
    #[track_caller]
    pub fn uninit(device: &Device, len: usize) -> Result<Self, MemoryError>
    where
        T: bytemuck::Pod,
    {
        Self::allocate(device, len, Location::caller())
    }

    /// Makes a buffer of `len` zeroes from the device's memory pool, in the order of `stream`.
    /// Unlike other allocations, neither this call nor dropping the buffer makes the host wait. The
    /// memory returns to the pool after all uses of the buffer are over.
    ///
    /// # Errors
    /// As [`DeviceBuffer::from_slice`].
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
        // SAFETY: the vector has capacity for the elements of the buffer, which are all initialised
        // on the device. Its length is set only after they were copied.
        unsafe {
            if !self.is_empty() {
                let bytes = self.len() * size_of::<T>();
                let result = api::cuMemcpyDtoH_v2(host.as_mut_ptr().cast(), self.address(), bytes);
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
        let to = host.as_mut_ptr().cast();
        // SAFETY: both sides have this many bytes, and any bytes that the device has are values.
        let result = unsafe { api::cuMemcpyDtoH_v2(to, self.address(), size_of_val(host)) };
        DriverError::check("cuMemcpyDtoH", result, at)?;
        Ok(self.used_now(begun, Access::Read, at)?)
    }

    /// Replaces the contents with `host`.
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
        let from = host.as_ptr().cast();
        // SAFETY: both sides have this many bytes.
        let result = unsafe { api::cuMemcpyHtoD_v2(self.address(), from, size_of_val(host)) };
        DriverError::check("cuMemcpyHtoD", result, at)?;
        Ok(self.used_now(begun, Access::Write, at)?)
    }

    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether the buffer has no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the address on the device. An empty buffer has no memory. Its address is not null
    /// and is aligned to [`slice_alignment`], as kernels require for the pointer of an empty slice.
    pub fn address(&self) -> u64 {
        if self.is_empty() || size_of::<T>() == 0 {
            return slice_alignment::<T>() as u64;
        }
        self.address
    }

    /// Returns the device that the buffer is on.
    pub fn device(&self) -> &Device {
        &self.device
    }
}
