//! Managed memory: one address for the host and the device, pages that move to whoever touches them.
//!
//! A [`ManagedBuffer`] is passed to a launch as a [`crate::DeviceBuffer`] is, and read and written by the host as a slice, with
//! no copy between. A launch is asynchronous, so the host's slices first wait for everything on the device: what a kernel
//! writes is there, and on devices without concurrent access (before compute capability 6.0) touching managed memory beside
//! any running kernel would be a fault.
//! Source: CUDA C++ Programming Guide, "Unified Memory"; CUDA driver API, `cuMemAllocManaged`; CUDA study notes, section 4.5.

use std::panic::Location;

use bytemuck::Zeroable;
use cust::memory::DeviceCopy;
use cust::sys;

use crate::{Device, DeviceBuffer, DriverError, MemoryError, Stream};

/// `len` values of `T` in managed memory. Freed when dropped.
#[derive(Debug)]
pub struct ManagedBuffer<T: DeviceCopy> {
    buffer: DeviceBuffer<T>,
}

impl<T: DeviceCopy + Zeroable> ManagedBuffer<T> {
    /// A new buffer of `len` elements whose bytes are all zero.
    ///
    /// # Errors
    /// [`MemoryError::OutOfMemory`], or what the driver says; `CUDA_ERROR_NOT_SUPPORTED` without managed memory.
    #[track_caller]
    pub fn zeroed(device: &Device, len: usize) -> Result<Self, MemoryError> {
        let at = Location::caller();
        let mut buffer = DeviceBuffer::allocate_managed(device, len, at)?;
        buffer.fill_zero()?;
        Ok(Self { buffer })
    }
}

impl<T: DeviceCopy> ManagedBuffer<T> {
    /// How many elements it holds.
    pub fn len(&self) -> usize {
        self.buffer.len()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.buffer.is_empty()
    }

    /// Its address, the same for host and device.
    pub fn address(&self) -> u64 {
        self.buffer.address()
    }

    /// The contents, once nothing runs on the device any more, and nothing of other devices that was passed the buffer.
    ///
    /// # Errors
    /// The driver's; among them the fault of a kernel that ran before.
    #[track_caller]
    pub fn as_slice(&self) -> Result<&[T], DriverError> {
        self.wait()?;
        // SAFETY: managed memory is the host's too. It was filled when it was made, and holds what host or kernels stored as
        // `T`; no kernel that writes it runs now, and none can be launched while the slice borrows the buffer.
        Ok(unsafe { std::slice::from_raw_parts(self.address() as *const T, self.len()) })
    }

    /// The contents to be changed, once nothing runs on the device any more, and nothing of other devices that was passed the buffer.
    ///
    /// # Errors
    /// What [`ManagedBuffer::as_slice`] fails with.
    #[track_caller]
    pub fn as_mut_slice(&mut self) -> Result<&mut [T], DriverError> {
        self.wait()?;
        // SAFETY: as in `as_slice`; and nobody else has the buffer, so no kernel can be launched that reads it.
        Ok(unsafe { std::slice::from_raw_parts_mut(self.address() as *mut T, self.len()) })
    }

    /// Has the host wait for everything on the device, and for what other devices do with the memory.
    #[track_caller]
    fn wait(&self) -> Result<(), DriverError> {
        let own = self.buffer.device();
        let streams = self.buffer.order().streams();
        let others = streams.iter().filter(|stream| stream.device() != own);
        others.into_iter().try_for_each(Stream::synchronize)?;
        own.synchronize()
    }

    /// Queues moving the pages to a place, before somebody there touches them: a fault for each page is slower than one copy.
    ///
    /// # Errors
    /// The driver's answer; after a kernel's fault every call on its context answers with that fault.
    #[track_caller]
    pub fn prefetch(&self, stream: &Stream, to: MemoryLocation<'_>) -> Result<(), DriverError> {
        let (at, bytes) = (Location::caller(), self.len() * size_of::<T>());
        if bytes == 0 {
            return Ok(());
        }
        stream.device().make_current(at)?;
        // SAFETY: the buffer has so many bytes of managed memory, whose contents do not change.
        let result =
            unsafe { sys::cuMemPrefetchAsync(self.address(), bytes, to.number(), stream.raw()) };
        DriverError::check("cuMemPrefetchAsync", result, at)
    }

    /// Tells the driver how the memory will be used. An advice changes where pages are, never what is in them.
    ///
    /// # Errors
    /// The driver's answer; after a kernel's fault every call on its context answers with that fault.
    #[track_caller]
    pub fn advise(&self, advice: Advice<'_>) -> Result<(), DriverError> {
        use sys::CUmem_advise::*;
        let (at, bytes) = (Location::caller(), self.len() * size_of::<T>());
        if bytes == 0 {
            return Ok(());
        }
        let own = MemoryLocation::Device(self.buffer.device());
        let (what, place) = match advice {
            // These two take a device, and do not look at it.
            Advice::ReadMostly(true) => (CU_MEM_ADVISE_SET_READ_MOSTLY, own),
            Advice::ReadMostly(false) => (CU_MEM_ADVISE_UNSET_READ_MOSTLY, own),
            Advice::Preferred(Some(place)) => (CU_MEM_ADVISE_SET_PREFERRED_LOCATION, place),
            Advice::Preferred(None) => (CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION, own),
            Advice::AccessedBy(place) => (CU_MEM_ADVISE_SET_ACCESSED_BY, place),
            Advice::NotAccessedBy(place) => (CU_MEM_ADVISE_UNSET_ACCESSED_BY, place),
        };
        self.buffer.device().make_current(at)?;
        // SAFETY: the buffer has so many bytes of managed memory.
        let result = unsafe { sys::cuMemAdvise(self.address(), bytes, what, place.number()) };
        DriverError::check("cuMemAdvise", result, at)
    }

    /// What a launch is passed.
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
    fn number(self) -> sys::CUdevice {
        match self {
            Self::Device(device) => device.cust().as_raw(),
            Self::Host => -1, // CU_DEVICE_CPU,
        }
    }
}

/// How managed memory will be used.
#[derive(Debug, Clone, Copy)]
pub enum Advice<'a> {
    /// Whether it is mostly read: each device then gets a copy of a page that it reads, which a write takes away again.
    ReadMostly(bool),
    /// Where pages should stay, if anywhere.
    Preferred(Option<MemoryLocation<'a>>),
    /// Who should be able to reach them where they are, without moving them.
    AccessedBy(MemoryLocation<'a>),
    /// Who no longer needs to reach them where they are.
    NotAccessedBy(MemoryLocation<'a>),
}
