//! Asynchronous copies: queued on a stream, they run beside the host and beside the work
//! of other streams.
//!
//! On the host's side such a copy needs pinned memory, a [`PinnedBuffer`]: the pages of pageable
//! memory can move, so a copy of such memory makes the host wait. A copy returns an [`InFlight`],
//! which borrows the pinned memory until the copy is done. Device buffers keep order between
//! streams by themselves, as they do for kernels.
//!
//! ```
//! use lanewise::{Device, DeviceBuffer, PinnedBuffer, Pinning};
//!
//! let device = Device::open()?;
//! let stream = device.stream()?;
//! let mut host = PinnedBuffer::<f32>::zeroed(&device, 1000, Pinning::Cached)?;
//! host.as_mut_slice()?.fill(3.0);
//! let mut buffer = DeviceBuffer::<f32>::zeroed(&device, 1000)?;
//!
//! let copy = stream.copy_in(&host, &mut buffer)?;
//! // Here the host is free to do something else.
//! copy.wait()?;
//! host.as_mut_slice()?.fill(4.0); // and not earlier
//! assert_eq!(buffer.to_vec()?, [3.0; 1000]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! While the copy is under way, the memory can't be accessed,
//! ```compile_fail,E0502
//! # use lanewise::{DeviceBuffer, PinnedBuffer, Stream};
//! # fn f(stream: Stream, mut host: PinnedBuffer<f32>, mut buffer: DeviceBuffer<f32>) {
//! let copy = stream.copy_in(&host, &mut buffer).unwrap();
//! host.as_mut_slice().unwrap().fill(4.0);
//! copy.wait().unwrap();
//! # }
//! ```
//! nor dropped:
//! ```compile_fail,E0505
//! # use lanewise::{DeviceBuffer, PinnedBuffer, Stream};
//! # fn f(stream: Stream, mut host: PinnedBuffer<f32>, buffer: DeviceBuffer<f32>) {
//! let copy = stream.copy_out(&buffer, &mut host).unwrap();
//! drop(host);
//! copy.wait().unwrap();
//! # }
//! ```
//! A copy that is [`InFlight::detach`]ed (or leaked) no longer borrows the memory. Then the memory
//! itself remembers the copy, and the next access to it, or its drop, waits for the copy. This is
//! useful for a ring of buffers that are refilled in turn.
//!
//! Source: CUDA driver API, `cuMemcpyHtoDAsync`, `cuMemcpyPeerAsync`; CUDA C++ Programming Guide,
//! "Asynchronous Concurrent Execution"; Professional CUDA C Programming, chapter 6; CUDA C++ Best
//! Practices Guide, "Memory Optimizations".

use std::marker::PhantomData;
use std::mem::size_of;
use std::panic::Location;

use bytemuck::{Pod, Zeroable};
use lanewise_driver::api;

use crate::memory::pattern::Pattern;
use crate::stream::order::Access;
use crate::{
    DeviceBuffer, DeviceCopy, DriverError, Event, Mapped, MemoryError, Part, PinnedBuffer, Stream,
};

/// A copy that may still be under way. It borrows the host memory that the copy needs. Dropping it
/// waits for the copy.
#[derive(Debug)]
#[must_use = "dropped at once, it waits for the copy at once"]
pub struct InFlight<'host> {
    /// `None` after a wait, or if there was nothing to copy.
    done: Option<Event>,
    host: PhantomData<&'host ()>,
}

impl InFlight<'_> {
    /// Waits until the copy is done.
    ///
    /// # Errors
    /// The driver's error, for example the fault of a kernel that ran before.
    #[track_caller]
    pub fn wait(mut self) -> Result<(), DriverError> {
        self.done.take().map_or(Ok(()), |done| done.synchronize())
    }

    /// Returns whether the copy is done.
    ///
    /// # Errors
    /// As [`Self::wait`].
    #[track_caller]
    pub fn is_done(&self) -> Result<bool, DriverError> {
        self.done.as_ref().map_or(Ok(true), Event::is_done)
    }

    /// Ends the borrow of the host's memory. The next access to that memory waits for the copy.
    pub fn detach(mut self) {
        self.done = None;
    }
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        if let Some(done) = self.done.take() {
            // A drop cannot report errors. After a fault no copy is running any more.
            let _ = done.synchronize();
        }
    }
}

/// The destination of a copy on the device: a buffer, a part of one, or mapped memory.
pub trait CopyTarget<T: DeviceCopy>: sealed::Sealed {
    /// Returns the buffer that the copy writes to.
    #[doc(hidden)]
    fn target(&mut self) -> &DeviceBuffer<T>;
}

mod sealed {
    pub trait Sealed {}
}

impl<T: DeviceCopy> sealed::Sealed for DeviceBuffer<T> {}
impl<T: DeviceCopy> CopyTarget<T> for DeviceBuffer<T> {
    fn target(&mut self) -> &DeviceBuffer<T> {
        self
    }
}

impl<T: DeviceCopy> sealed::Sealed for Part<'_, T> {}
impl<T: DeviceCopy> CopyTarget<T> for Part<'_, T> {
    fn target(&mut self) -> &DeviceBuffer<T> {
        self
    }
}

impl<T: DeviceCopy> sealed::Sealed for Mapped<'_, T> {}
impl<T: DeviceCopy> CopyTarget<T> for Mapped<'_, T> {
    fn target(&mut self) -> &DeviceBuffer<T> {
        self
    }
}

/// Checks that both sides have the same length.
fn same_length(
    buffer: usize,
    host: usize,
    at: &'static Location<'static>,
) -> Result<(), MemoryError> {
    match buffer == host {
        true => Ok(()),
        false => Err(MemoryError::LengthMismatch { buffer, host, at }),
    }
}

impl Stream {
    /// Queues a copy of pinned memory to the device.
    ///
    /// # Errors
    /// [`MemoryError::LengthMismatch`], or the driver's error.
    #[track_caller]
    pub fn copy_in<'host, T: DeviceCopy>(
        &self,
        from: &'host PinnedBuffer<T>,
        to: &mut impl CopyTarget<T>,
    ) -> Result<InFlight<'host>, MemoryError> {
        let at = Location::caller();
        let to = to.target();
        same_length(to.len(), from.len(), at)?;
        let _use = to.use_on(self, Access::Write)?;
        self.with_host(from, Access::Read, at, |bytes| {
            // SAFETY: both sides have this many bytes. Both the pinned memory and the buffer wait
            // for the copy before they are freed.
            let result = unsafe {
                api::cuMemcpyHtoDAsync_v2(to.address(), from.pointer().cast(), bytes, self.handle())
            };
            DriverError::check("cuMemcpyHtoDAsync", result, at)
        })
    }

    /// Queues a copy from the device to pinned memory.
    ///
    /// # Errors
    /// As [`Self::copy_in`].
    #[track_caller]
    pub fn copy_out<'host, T: DeviceCopy>(
        &self,
        from: &DeviceBuffer<T>,
        to: &'host mut PinnedBuffer<T>,
    ) -> Result<InFlight<'host>, MemoryError> {
        let at = Location::caller();
        same_length(from.len(), to.len(), at)?;
        let _use = from.use_on(self, Access::Read)?;
        self.with_host(to, Access::Write, at, |bytes| {
            // SAFETY: as in `copy_in`.
            let result = unsafe {
                api::cuMemcpyDtoHAsync_v2(to.pointer().cast(), from.address(), bytes, self.handle())
            };
            DriverError::check("cuMemcpyDtoHAsync", result, at)
        })
    }

    /// Queues `copy`, which uses the host's `memory`, and notes the copy in `memory`.
    fn with_host<'host, T: DeviceCopy>(
        &self,
        memory: &PinnedBuffer<T>,
        access: Access,
        at: &'static Location<'static>,
        copy: impl Fn(usize) -> Result<(), DriverError>,
    ) -> Result<InFlight<'host>, MemoryError> {
        let bytes = memory.len() * size_of::<T>();
        let mut done = None;
        if bytes > 0 {
            self.device().make_current(at)?;
            let mut copy = || copy(bytes);
            done = Some(memory.uses().begin(self, access, &mut copy)?);
        }
        Ok(InFlight {
            done,
            host: PhantomData,
        })
    }

    /// Queues a copy from one buffer to another, on one device or between two. Without peer access
    /// the driver copies through the host's memory.
    ///
    /// # Errors
    /// [`MemoryError::LengthMismatch`], or the driver's error.
    #[track_caller]
    pub fn copy<T: DeviceCopy>(
        &self,
        from: &DeviceBuffer<T>,
        to: &mut impl CopyTarget<T>,
    ) -> Result<(), MemoryError> {
        let at = Location::caller();
        let to = to.target();
        same_length(to.len(), from.len(), at)?;
        let bytes = from.len() * size_of::<T>();
        if bytes == 0 {
            return Ok(());
        }
        let (_reading, _writing) = (
            from.use_for_copy(self, Access::Read)?,
            to.use_for_copy(self, Access::Write)?,
        );
        self.device().make_current(at)?;
        if from.device() == to.device() {
            // SAFETY: both sides have this many bytes, and freeing either waits for the copy.
            let result = unsafe {
                api::cuMemcpyDtoDAsync_v2(to.address(), from.address(), bytes, self.handle())
            };
            return Ok(DriverError::check("cuMemcpyDtoDAsync", result, at)?);
        }
        let (to_context, from_context) = (to.device().context(), from.device().context());
        // SAFETY: as above, and each context is that of its buffer.
        let result = unsafe {
            api::cuMemcpyPeerAsync(
                to.address(),
                to_context,
                from.address(),
                from_context,
                bytes,
                self.handle(),
            )
        };
        Ok(DriverError::check("cuMemcpyPeerAsync", result, at)?)
    }

    /// Queues setting every byte of a buffer to zero.
    ///
    /// # Errors
    /// The driver's error. After a fault in a kernel, every call on its context returns that error.
    #[track_caller]
    pub fn fill_zero<T: DeviceCopy + Zeroable>(
        &self,
        buffer: &mut impl CopyTarget<T>,
    ) -> Result<(), MemoryError> {
        self.set_all(buffer.target(), Pattern::ZERO, Location::caller())
    }

    /// Queues setting every element of a buffer to `value`. An element has 1, 2 or 4 bytes.
    ///
    /// # Errors
    /// As [`Self::fill_zero`].
    #[doc(alias = "cudaMemsetAsync")]
    #[track_caller]
    pub fn fill<T: DeviceCopy + Pod>(
        &self,
        buffer: &mut impl CopyTarget<T>,
        value: T,
    ) -> Result<(), MemoryError> {
        self.set_all(buffer.target(), Pattern::of(value), Location::caller())
    }

    /// Queues filling a buffer with a pattern that is a valid `T`. The caller has the right to
    /// write the buffer.
    #[track_caller]
    pub(super) fn set_all<T: DeviceCopy>(
        &self,
        buffer: &DeviceBuffer<T>,
        pattern: Pattern,
        at: &'static Location<'static>,
    ) -> Result<(), MemoryError> {
        let count = buffer.len() * size_of::<T>() / pattern.bytes as usize;
        if count == 0 {
            return Ok(());
        }
        let _use = buffer.use_on(self, Access::Write)?;
        self.device().make_current(at)?;
        // SAFETY: the buffer has this many bytes, and the driver refuses an address that is not
        // aligned. Freeing the buffer waits for this work.
        let (call, result) = unsafe { pattern.queue(buffer.address(), count, self.handle()) };
        Ok(DriverError::check(call, result, at)?)
    }
}
