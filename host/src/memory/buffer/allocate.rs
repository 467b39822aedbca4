//! Allocation and freeing of a buffer's memory: from the driver, from a pool, of a graph, or owned
//! by something else.

use std::marker::PhantomData;
use std::mem::{ManuallyDrop, size_of};
use std::panic::Location;

use lanewise_driver::abi::enums::attach;
use lanewise_driver::abi::{CUmemoryPool, CUresult};
use lanewise_driver::api;

use super::{Borrowed, DeviceBuffer, MemoryError};
use crate::stream::order::Order;
use crate::{Device, DeviceCopy, DriverError, Stream, late};

impl<T: DeviceCopy> DeviceBuffer<T> {
    /// Makes a buffer with arbitrary contents. The caller fills it before it returns it, unless
    /// any bytes are a valid `T`.
    pub(super) fn allocate(
        device: &Device,
        len: usize,
        at: &'static Location<'static>,
    ) -> Result<Self, MemoryError> {
        let Some(bytes) = len.checked_mul(size_of::<T>()) else {
            let source = DriverError::answer("cuMemAlloc", CUresult::ERROR_OUT_OF_MEMORY, at);
            return Err(MemoryError::out_of_memory(usize::MAX, source));
        };
        device.make_current(at)?;
        let mut address = 0;
        if bytes > 0 {
            // Reports of faults in this memory name the caller's line.
            lanewise_driver::set_call_site(Some(at));
            // SAFETY: the result is written to a local variable.
            let result = unsafe { api::cuMemAlloc_v2(&mut address, bytes) };
            lanewise_driver::set_call_site(None);
            DriverError::check("cuMemAlloc", result, at)
                .map_err(|source| MemoryError::of_allocation(bytes, source))?;
        }
        Ok(Self {
            address,
            len,
            elements: PhantomData,
            device: device.clone(),
            order: Order::default(),
            pooled: None,
            whole: true,
        })
    }

    /// As [`DeviceBuffer::zeroed_on`], from `pool`. Without a pool, the memory is from the
    /// device's own pool.
    #[track_caller]
    pub(crate) fn zeroed_from(
        pool: Option<CUmemoryPool>,
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
            // SAFETY: the result is written to a local variable, and the stream is live.
            None => ("cuMemAllocAsync", unsafe {
                api::cuMemAllocAsync(&mut address, bytes, stream.handle())
            }),
            // SAFETY: as above, and the caller keeps the pool alive.
            Some(pool) => ("cuMemAllocFromPoolAsync", unsafe {
                api::cuMemAllocFromPoolAsync(&mut address, bytes, pool, stream.handle())
            }),
        };
        lanewise_driver::set_call_site(None);
        DriverError::check(call, result, at)
            .map_err(|source| MemoryError::of_allocation(bytes, source))?;
        // SAFETY: this many bytes were allocated, the next queued work fills them, and nothing
        // else uses them.
        let buffer = unsafe { Self::borrow_raw(device, address, len) };
        let mut buffer = ManuallyDrop::into_inner(buffer);
        buffer.pooled = Some(stream.clone());
        buffer.whole = true;
        stream.fill_zero(&mut buffer)?;
        Ok(buffer)
    }

    /// Makes a buffer of managed memory with arbitrary contents, for [`crate::ManagedBuffer`],
    /// which fills it.
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
        Ok(Self {
            address,
            len,
            elements: PhantomData,
            device: device.clone(),
            order: Order::default(),
            pooled: None,
            whole: false,
        })
    }

    /// Makes a buffer over memory that something else owns. Dropping the buffer does not free it.
    ///
    /// # Safety
    /// `address` points to `len` initialised values of `T` on this device. They stay valid while
    /// the buffer is used, and while the kernels run that it was passed to.
    pub unsafe fn borrow_raw(device: &Device, address: u64, len: usize) -> ManuallyDrop<Self> {
        ManuallyDrop::new(Self {
            address,
            len,
            elements: PhantomData,
            device: device.clone(),
            order: Order::default(),
            pooled: None,
            whole: false,
        })
    }

    /// As [`DeviceBuffer::borrow_raw`], for memory that shares its order of uses
    /// with another buffer.
    ///
    /// # Safety
    /// As for [`DeviceBuffer::borrow_raw`].
    pub(crate) unsafe fn borrow_ordered(
        device: &Device,
        address: u64,
        len: usize,
        order: &Order<Stream>,
    ) -> Borrowed<T> {
        // SAFETY: the caller promises the same.
        let mut buffer = unsafe { Self::borrow_raw(device, address, len) };
        buffer.order = order.clone();
        Borrowed::new(buffer)
    }

    /// Makes a buffer of `len` elements of another type over this buffer's memory. Its uses count
    /// as uses of this buffer, also in graphs.
    ///
    /// # Safety
    /// As for [`DeviceBuffer::borrow_raw`], for as long as this buffer's memory is there. The bytes
    /// of all elements are valid values of both types.
    pub(crate) unsafe fn reinterpret<V: DeviceCopy>(&self, len: usize) -> Borrowed<V> {
        // SAFETY: the caller promises the same.
        let mut buffer = unsafe { DeviceBuffer::borrow_raw(&self.device, self.address(), len) };
        buffer.order = self.order.clone();
        buffer.pooled = self.pooled.clone();
        buffer.whole = self.whole;
        Borrowed::new(buffer)
    }

    /// Makes a buffer over memory that the graph with this number allocates whenever
    /// it is launched.
    ///
    /// # Safety
    /// When the graph's nodes use the memory, it holds `len` initialised values of `T`. Nothing
    /// else gets the buffer.
    pub(crate) unsafe fn of_graph(
        device: &Device,
        address: u64,
        len: usize,
        graph: u64,
    ) -> Borrowed<T> {
        // SAFETY: the caller promises the same.
        let mut buffer =
            unsafe { Self::borrow_ordered(device, address, len, &Order::of_graph(graph)) };
        buffer.whole = true;
        buffer
    }

    /// Returns whether the buffer owns its memory and the memory is not from a pool.
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

/// The memory of a buffer that was dropped.
struct Ending {
    address: u64,
    device: Device,
    order: Order<Stream>,
    pooled: Option<Stream>,
}

impl Drop for Ending {
    fn drop(&mut self) {
        let mut users = self.order.streams().into_iter();
        if let Some(stream) = &self.pooled {
            // The stream frees the memory after all uses. A drop cannot report errors: where the
            // stream cannot wait, the uses may still run, and the memory is freed with the context.
            if users.any(|user| stream.wait_for(&user).is_err()) {
                return;
            }
            let _ = self.device.make_current(Location::caller());
            // SAFETY: the memory was allocated once from a pool on this stream, and no later
            // work uses it.
            let _ = unsafe { api::cuMemFreeAsync(self.address, stream.handle()) };
            return;
        }
        // The driver waits for the memory's own device before it frees the memory, but not
        // for other devices.
        let mut others = users.filter(|user| user.device() != &self.device);
        if others.any(|user| user.synchronize().is_err()) {
            return;
        }
        // A drop cannot report errors. If the context cannot be made current, the call below fails,
        // and the memory is freed with the context.
        let _ = self.device.make_current(Location::caller());
        // SAFETY: the memory was allocated once, is freed here only, and is not used afterwards.
        let _ = unsafe { api::cuMemFree_v2(self.address) };
    }
}

/// Allocates managed memory that the host and every stream may access, and returns its address.
fn managed(bytes: usize, at: &'static Location<'static>) -> Result<u64, DriverError> {
    let mut address = 0;
    // SAFETY: the result is written to a local variable.
    let result = unsafe { api::cuMemAllocManaged(&mut address, bytes, attach::GLOBAL) };
    DriverError::check("cuMemAllocManaged", result, at)?;
    Ok(address)
}
