//! Managed memory: one address for the host and the device, with pages that move to where
//! they are accessed.
//!
//! A launch accepts a [`ManagedBuffer`] like a [`crate::DeviceBuffer`], and the host reads and
//! writes it as a slice. No copy is needed. A launch is asynchronous, so the methods that return
//! slices first wait for everything on the device. Then the results of kernels are complete. While
//! a slice exists, other kernels may run. That needs concurrent access: devices before compute
//! capability 6.0, and all devices on Windows, under WSL 2 and on Jetson boards, do not allow the
//! host to access managed memory while any kernel runs. There is no managed memory there.
//! Source: CUDA C++ Programming Guide, "Unified Memory"; CUDA driver API, `cuMemAllocManaged`;
//! Professional CUDA C Programming, chapter 4.

use std::panic::Location;

use bytemuck::Zeroable;
use lanewise_driver::abi::CUdevice;
use lanewise_driver::abi::enums::advise;
use lanewise_driver::api;

use crate::{Device, DeviceBuffer, DeviceCopy, DriverError, MemoryError, Stream};

/// `len` values of `T` in managed memory. The memory is freed when the buffer is dropped.
#[derive(Debug)]
pub struct ManagedBuffer<T: DeviceCopy> {
    buffer: DeviceBuffer<T>,
}

impl<T: DeviceCopy + Zeroable> ManagedBuffer<T> {
    /// Makes a buffer of `len` elements whose bytes are all zero.
    ///
    /// # Errors
    /// [`MemoryError::NoConcurrentAccess`] on a device where the host must not access managed
    /// memory while any kernel runs; [`MemoryError::OutOfMemory`]; or the driver's error, which
    /// is `CUDA_ERROR_NOT_SUPPORTED` on a device without managed memory.
    #[track_caller]
    pub fn zeroed(device: &Device, len: usize) -> Result<Self, MemoryError> {
        let at = Location::caller();
        let properties = device.properties();
        if properties.concurrent_managed_access == 0 {
            let device = properties.name.clone();
            return Err(MemoryError::NoConcurrentAccess { device });
        }
        let mut buffer = DeviceBuffer::allocate_managed(device, len, at)?;
        buffer.fill_zero()?;
        Ok(Self { buffer })
    }
}

impl<T: DeviceCopy> ManagedBuffer<T> {
    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.buffer.len()
    }

    /// Returns whether the buffer has no elements.
    pub fn is_empty(&self) -> bool {
        self.buffer.is_empty()
    }

    /// Returns the address, which is the same for host and device.
    pub fn address(&self) -> u64 {
        self.buffer.address()
    }

    /// Returns the contents. Waits for all work on the device, and for work on other devices that
    /// uses the buffer.
    ///
    /// # Errors
    /// The driver's error, or the fault of a kernel that ran before.
    #[track_caller]
    pub fn as_slice(&self) -> Result<&[T], DriverError> {
        self.wait()?;
        // SAFETY: the host may access managed memory. It was filled when it was allocated, and
        // holds values of `T` that the host or kernels stored. No kernel that writes it runs now,
        // and none can be launched while the slice borrows the buffer.
        Ok(unsafe { std::slice::from_raw_parts(self.address() as *const T, self.len()) })
    }

    /// Returns the contents for writing. Waits as [`ManagedBuffer::as_slice`] does.
    ///
    /// # Errors
    /// As [`ManagedBuffer::as_slice`].
    #[track_caller]
    pub fn as_mut_slice(&mut self) -> Result<&mut [T], DriverError> {
        self.wait()?;
        // SAFETY: as in `as_slice`. The buffer is borrowed mutably, so no kernel that reads it can
        // be launched either.
        Ok(unsafe { std::slice::from_raw_parts_mut(self.address() as *mut T, self.len()) })
    }

    /// Waits for all work on the device, and for work on other devices that uses the memory.
    #[track_caller]
    fn wait(&self) -> Result<(), DriverError> {
        let own = self.buffer.device();
        let streams = self.buffer.order().streams();
        let others = streams.iter().filter(|stream| stream.device() != own);
        others.into_iter().try_for_each(Stream::synchronize)?;
        own.synchronize()
    }

    /// Queues a move of the pages to the place where they will be accessed. One copy is faster than
    /// a page fault for each page.
    ///
    /// # Errors
    /// The driver's error. After a fault in a kernel, every call on its context returns that error.
    #[track_caller]
    pub fn prefetch(&self, stream: &Stream, to: MemoryLocation<'_>) -> Result<(), DriverError> {
        let (at, bytes) = (Location::caller(), self.len() * size_of::<T>());
        if bytes == 0 {
            return Ok(());
        }
        stream.device().make_current(at)?;
        // SAFETY: the buffer has this many bytes of managed memory, and the call does not
        // change their contents.
        let result =
            unsafe { api::cuMemPrefetchAsync(self.address(), bytes, to.number(), stream.handle()) };
        DriverError::check("cuMemPrefetchAsync", result, at)
    }

    /// Tells the driver how the memory will be used. Advice changes where pages are,
    /// never their contents.
    ///
    /// # Errors
    /// The driver's error. After a fault in a kernel, every call on its context returns that error.
    #[track_caller]
    pub fn advise(&self, advice: Advice<'_>) -> Result<(), DriverError> {
        let (at, bytes) = (Location::caller(), self.len() * size_of::<T>());
        if bytes == 0 {
            return Ok(());
        }
        let own = MemoryLocation::Device(self.buffer.device());
        let (what, place) = match advice {
            // These two take a device and ignore it.
            Advice::ReadMostly(true) => (advise::SET_READ_MOSTLY, own),
            Advice::ReadMostly(false) => (advise::UNSET_READ_MOSTLY, own),
            Advice::Preferred(Some(place)) => (advise::SET_PREFERRED_LOCATION, place),
            Advice::Preferred(None) => (advise::UNSET_PREFERRED_LOCATION, own),
            Advice::AccessedBy(place) => (advise::SET_ACCESSED_BY, place),
            Advice::NotAccessedBy(place) => (advise::UNSET_ACCESSED_BY, place),
        };
        self.buffer.device().make_current(at)?;
        // SAFETY: the buffer has this many bytes of managed memory.
        let result = unsafe { api::cuMemAdvise(self.address(), bytes, what, place.number()) };
        DriverError::check("cuMemAdvise", result, at)
    }

    /// Returns the underlying buffer, which launches accept.
    pub(crate) fn buffer(&self) -> &DeviceBuffer<T> {
        &self.buffer
    }
}

/// Where pages of managed memory can be.
#[derive(Debug, Clone, Copy)]
pub enum MemoryLocation<'a> {
    /// In the memory of this device.
    Device(&'a Device),
    /// In the host's memory.
    Host,
}

impl MemoryLocation<'_> {
    fn number(self) -> CUdevice {
        match self {
            Self::Device(device) => device.number(),
            Self::Host => -1, // CU_DEVICE_CPU,
        }
    }
}

/// How managed memory will be used.
#[derive(Debug, Clone, Copy)]
pub enum Advice<'a> {
    /// Whether the memory is mostly read. If so, each device gets its own copy of a page that it
    /// reads. A write discards the copies.
    ReadMostly(bool),
    /// Where the pages should stay, or `None` to withdraw that advice.
    Preferred(Option<MemoryLocation<'a>>),
    /// The host or device that should be able to access the pages where they are,
    /// without moving them.
    AccessedBy(MemoryLocation<'a>),
    /// The host or device that no longer needs that access.
    NotAccessedBy(MemoryLocation<'a>),
}
