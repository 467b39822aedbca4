//! Where a buffer's memory comes from, and what becomes of it: the driver's memory, a pool's, a
//! graph's, or memory that something else owns.

use std::mem::{ManuallyDrop, size_of};
use std::panic::Location;

use cust::error::CudaError;
use cust::memory::{DeviceBuffer as CustBuffer, DeviceCopy, DevicePointer};
use cust::sys;

use super::{Borrowed, DeviceBuffer, MemoryError};
use crate::stream::order::Order;
use crate::{Device, DriverError, Stream, late};

impl<T: DeviceCopy> DeviceBuffer<T> {
    /// A buffer with arbitrary contents. The caller fills it before it hands it out.
    pub(super) fn allocate(
        device: &Device,
        len: usize,
        at: &'static Location<'static>,
    ) -> Result<Self, MemoryError> {
        device.make_current(at)?;
        // Reports of faults in this memory name the caller's line.
        lanewise_driver::set_call_site(Some(at));
        // SAFETY: both callers fill the buffer before they hand it out.
        let memory = unsafe { CustBuffer::uninitialized(len) };
        lanewise_driver::set_call_site(None);
        let memory = memory.map_err(|error| {
            let source = DriverError::from_cust("cuMemAlloc", error, at);
            match error {
                CudaError::OutOfMemory | CudaError::InvalidMemoryAllocation => {
                    MemoryError::out_of_memory(len.saturating_mul(size_of::<T>()), source)
                }
                _ => MemoryError::Driver(source),
            }
        })?;
        Ok(Self {
            memory: ManuallyDrop::new(memory),
            device: device.clone(),
            order: Order::default(),
            pooled: None,
            whole: true,
        })
    }

    /// As [`DeviceBuffer::zeroed_on`], from this pool, or without one from the device's own.
    #[track_caller]
    pub(crate) fn zeroed_from(
        pool: Option<sys::CUmemoryPool>,
        stream: &Stream,
        len: usize,
    ) -> Result<Self, MemoryError>
    where
        T: bytemuck::Zeroable,
    {
        let (at, device) = (Location::caller(), stream.device());
        let Some(bytes) = len.checked_mul(size_of::<T>()).filter(|&bytes| bytes > 0) else {
            return Self::allocate(device, len, at); // nothing, or more than there can be
        };
        device.make_current(at)?;
        let mut address = 0;
        lanewise_driver::set_call_site(Some(at));
        let (call, result) = match pool {
            // SAFETY: the result has a place, and the stream is live.
            None => ("cuMemAllocAsync", unsafe {
                sys::cuMemAllocAsync(&mut address, bytes, stream.raw())
            }),
            // SAFETY: as above, and the caller has the pool.
            Some(pool) => ("cuMemAllocFromPoolAsync", unsafe {
                sys::cuMemAllocFromPoolAsync(&mut address, bytes, pool, stream.raw())
            }),
        };
        lanewise_driver::set_call_site(None);
        DriverError::check(call, result, at)
            .map_err(|source| MemoryError::of_allocation(bytes, source))?;
        // SAFETY: this many bytes were allocated, the work that is queued next fills them, and
        // nothing else uses them.
        let buffer = unsafe { Self::borrow_raw(device, address, len) };
        let mut buffer = ManuallyDrop::into_inner(buffer);
        buffer.pooled = Some(stream.clone());
        buffer.whole = true;
        stream.fill_zero(&mut buffer)?;
        Ok(buffer)
    }

    /// Managed memory with arbitrary contents, for [`crate::ManagedBuffer`], which fills it.
    pub(crate) fn allocate_managed(
        device: &Device,
        len: usize,
        at: &'static Location<'static>,
    ) -> Result<Self, MemoryError> {
        let Some(bytes) = len.checked_mul(size_of::<T>()).filter(|&bytes| bytes > 0) else {
            return Self::allocate(device, len, at); // nothing, or more than there can be
        };
        device.make_current(at)?;
        lanewise_driver::set_call_site(Some(at));
        let address = managed(bytes, at);
        lanewise_driver::set_call_site(None);
        let address = address.map_err(|source| MemoryError::of_allocation(bytes, source))?;
        // SAFETY: `len` elements fit, and are freed by the same call as any other memory.
        let memory = unsafe { CustBuffer::from_raw_parts(DevicePointer::from_raw(address), len) };
        Ok(Self {
            memory: ManuallyDrop::new(memory),
            device: device.clone(),
            order: Order::default(),
            pooled: None,
            whole: false,
        })
    }

    /// Makes a buffer over memory that something else owns. Dropping the buffer does not free it.
    ///
    /// # Safety
    /// `address` is that of `len` initialised values of `T` on this device, and stays so while the
    /// buffer and the kernels it is passed to are in use.
    pub unsafe fn borrow_raw(device: &Device, address: u64, len: usize) -> ManuallyDrop<Self> {
        // SAFETY: the caller vouches for address and length; `ManuallyDrop` keeps `cust` from
        // freeing what it does not own.
        let memory = unsafe { CustBuffer::from_raw_parts(DevicePointer::from_raw(address), len) };
        ManuallyDrop::new(Self {
            memory: ManuallyDrop::new(memory),
            device: device.clone(),
            order: Order::default(),
            pooled: None,
            whole: false,
        })
    }

    /// As [`DeviceBuffer::borrow_raw`], for memory whose order of uses is shared with something
    /// else.
    ///
    /// # Safety
    /// As for [`DeviceBuffer::borrow_raw`].
    pub(crate) unsafe fn borrow_ordered(
        device: &Device,
        address: u64,
        len: usize,
        order: &Order<Stream>,
    ) -> Borrowed<T> {
        // SAFETY: the caller's promise.
        let mut buffer = unsafe { Self::borrow_raw(device, address, len) };
        buffer.order = order.clone();
        Borrowed::new(buffer)
    }

    /// Memory that the graph with this number allocates whenever it is launched.
    ///
    /// # Safety
    /// The graph's work finds `len` initialised values of `T` there, and the buffer is given to
    /// nothing else.
    pub(crate) unsafe fn of_graph(
        device: &Device,
        address: u64,
        len: usize,
        graph: u64,
    ) -> Borrowed<T> {
        // SAFETY: the caller's promise.
        let mut buffer =
            unsafe { Self::borrow_ordered(device, address, len, &Order::of_graph(graph)) };
        buffer.whole = true;
        buffer
    }

    /// Returns whether it has memory of its own that is not from a pool.
    pub(crate) fn is_allocated(&self) -> bool {
        let bytes = self.len() * size_of::<T>();
        self.whole && self.pooled.is_none() && self.order.graph().is_none() && bytes > 0
    }
}

impl<T: DeviceCopy> Drop for DeviceBuffer<T> {
    fn drop(&mut self) {
        if self.whole {
            self.order.end();
        }
        if self.len() * size_of::<T>() > 0 {
            late::end(Ending {
                address: self.address(),
                device: self.device.clone(),
                order: self.order.clone(),
                pooled: self.pooled.take(),
            });
        }
    }
}

/// A buffer's memory, which nobody has any more.
struct Ending {
    address: u64,
    device: Device,
    order: Order<Stream>,
    pooled: Option<Stream>,
}

impl Drop for Ending {
    fn drop(&mut self) {
        if let Some(stream) = &self.pooled {
            // Nobody to report to: after a fault the memory goes with the context. The stream gives
            // it back after every use.
            for earlier in self.order.streams() {
                let _ = stream.wait_for(&earlier);
            }
            let _ = self.device.make_current(Location::caller());
            // SAFETY: allocated from the stream's pool, once, and used by nothing that is queued
            // later.
            let _ = unsafe { sys::cuMemFreeAsync(self.address, stream.raw()) };
            return;
        }
        // The driver frees memory once its own device is done with it, and does not know of others.
        for stream in self.order.streams() {
            if stream.device() != &self.device {
                let _ = stream.synchronize();
            }
        }
        // A drop cannot report errors: if the context cannot be made current, the free below fails,
        // and the memory is freed with the context.
        let _ = self.device.make_current(Location::caller());
        // SAFETY: allocated once, freed here only, and not used afterwards.
        let _ = unsafe { sys::cuMemFree_v2(self.address) };
    }
}

/// Allocates managed memory that the host and every stream may access, and returns its address.
fn managed(bytes: usize, at: &'static Location<'static>) -> Result<u64, DriverError> {
    // From cuda.h: memory can be accessed by any stream on any device.
    const CU_MEM_ATTACH_GLOBAL: u32 = 1;
    let mut address = 0;
    // SAFETY: the result has a place.
    let result = unsafe { sys::cuMemAllocManaged(&mut address, bytes, CU_MEM_ATTACH_GLOBAL) };
    DriverError::check("cuMemAllocManaged", result, at)?;
    Ok(address)
}
