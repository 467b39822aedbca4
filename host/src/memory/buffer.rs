//! Memory on the device, typed, of any length.
//!
//! A [`DeviceBuffer`] is `cust`'s with three differences. An empty one is fine everywhere. Errors name the caller's line. And
//! it keeps order between streams: it remembers on which streams it was last written and read, and a launch on another one first waits
//! for the writes, and if it writes for the reads too. So no kernel touches a buffer that another writes, through the safe interface. To have
//! two kernels write different parts at once, make parts of it ([`DeviceBuffer::parts`]); what else may overlap,
//! [`DeviceBuffer::forget_order`] lets overlap.
//!
//! The copies here are synchronous and run on the legacy default stream, which waits for every stream made by [`Device::stream`], and for
//! the non-blocking ones on which the buffer was used. Those that run beside the host are [`Stream::copy_in`] and its like.
//! Source: CUDA driver API, "Memory Management"; CUDA study notes, item 6.

mod borrowed;

use std::mem::{ManuallyDrop, size_of};
use std::panic::Location;

use cust::error::CudaError;
use cust::memory::{CopyDestination, DeviceBuffer as CustBuffer, DeviceCopy, DevicePointer};
use cust::sys;
use lanewise_driver::abi::CUresult as Code;

pub(crate) use borrowed::Borrowed;

use crate::error::in_words;
use crate::stream::order::{Access, LaunchUse, Order};
use crate::{Device, DriverError, Stream};

/// Why memory could not be made or copied.
#[derive(thiserror::Error)]
pub enum MemoryError {
    /// The device has no room for it.
    #[error(
        "no room on the device for {bytes} bytes ({free} of {total} are free): use a smaller size, or drop buffers first"
    )]
    OutOfMemory {
        /// How many bytes were asked for.
        bytes: usize,
        /// How many bytes were free when the driver was asked afterwards.
        free: usize,
        /// How many bytes the device has in all.
        total: usize,
        /// What the driver answered.
        source: DriverError,
    },
    /// The host slice and the buffer differ in length.
    #[error(
        "the buffer holds {buffer} elements and the host slice {host}, at {at}: a copy needs equal lengths"
    )]
    LengthMismatch {
        /// Elements in the buffer.
        buffer: usize,
        /// Elements in the slice.
        host: usize,
        /// The line of the program that copied.
        at: &'static Location<'static>,
    },
    /// The driver refused; after a kernel's fault it refuses everything.
    #[error("the driver refused to work on the device's memory")]
    Driver(#[from] DriverError),
}

in_words! { MemoryError }

/// `len` values of `T` in the device's memory. Freed when dropped.
#[derive(Debug)]
pub struct DeviceBuffer<T: DeviceCopy> {
    // Dropped by hand, once the device's context is current on the dropping thread.
    memory: ManuallyDrop<CustBuffer<T>>,
    device: Device,
    order: Order<Stream>,
    /// The stream whose memory pool it is from and goes back to; none for memory of its own.
    pooled: Option<Stream>,
    /// Whether this frees the memory and tells its order so, and nothing of the host's sees it: what a graph asks for.
    whole: bool,
}

impl<T: DeviceCopy> DeviceBuffer<T> {
    /// A copy of `host` on the device.
    ///
    /// # Errors
    /// [`MemoryError::OutOfMemory`], or what the driver says.
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
        buffer.fill_zero_at(at)?;
        Ok(buffer)
    }

    /// `len` zeroes from the device's memory pool, by work that is queued on `stream`: neither this nor the end of the buffer makes the host wait, as
    /// allocating and freeing memory does otherwise. When it is dropped, the memory goes back once all its uses are over.
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

    /// The same from a pool, or else from the device's own.
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
        DriverError::check(call, result, at).map_err(|source| Self::no_room(bytes, source))?;
        // SAFETY: so many bytes were allocated, which the work that is queued next fills; nobody else has them.
        let buffer = unsafe { Self::borrow_raw(device, address, len) };
        let mut buffer = ManuallyDrop::into_inner(buffer);
        buffer.pooled = Some(stream.clone());
        buffer.whole = true;
        stream.fill_zero(&mut buffer)?;
        Ok(buffer)
    }

    /// What a failed allocation is.
    fn no_room(bytes: usize, source: DriverError) -> MemoryError {
        match source.name() {
            "CUDA_ERROR_OUT_OF_MEMORY" => {
                let (free, total) = cust::memory::mem_get_info().unwrap_or((0, 0));
                MemoryError::OutOfMemory {
                    bytes,
                    free,
                    total,
                    source,
                }
            }
            _ => MemoryError::Driver(source),
        }
    }

    /// Sets every byte to zero.
    ///
    /// # Errors
    /// The driver's answer; after a kernel's fault every call on its context answers with that fault.
    #[track_caller]
    pub fn fill_zero(&mut self) -> Result<(), MemoryError>
    where
        T: bytemuck::Zeroable,
    {
        self.fill_zero_at(Location::caller())
    }

    #[track_caller]
    fn fill_zero_at(&mut self, at: &'static Location<'static>) -> Result<(), MemoryError>
    where
        T: bytemuck::Zeroable,
    {
        if self.is_empty() || size_of::<T>() == 0 {
            return Ok(());
        }
        if self.is_in_graphs() {
            let stream = self.device.default_stream();
            stream.fill_zero(self)?;
            return Ok(stream.record()?.synchronize()?);
        }
        let begun = self.use_now(Access::Write, at)?;
        // SAFETY: the buffer owns this many bytes, and a `Zeroable` type may be all zeroes.
        let result = unsafe { sys::cuMemsetD8_v2(self.address(), 0, self.len() * size_of::<T>()) };
        DriverError::check("cuMemsetD8", result, at)?;
        Ok(self.used_now(begun, Access::Write, at)?)
    }

    /// The contents, copied to the host.
    ///
    /// # Errors
    /// The driver's; among them the fault of a kernel that ran before.
    #[track_caller]
    pub fn to_vec(&self) -> Result<Vec<T>, MemoryError> {
        let at = Location::caller();
        if self.is_in_graphs() {
            return self.staged().map(|staged| staged.to_vec());
        }
        let begun = self.use_now(Access::Read, at)?;
        let mut host: Vec<T> = Vec::with_capacity(self.len());
        // SAFETY: there is room for as many elements as the buffer has, all of them initialised on the device; the vector is
        // that long only once they have been copied.
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
    /// [`MemoryError::LengthMismatch`], or what the driver says, as for [`Self::to_vec`].
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
    /// [`MemoryError::LengthMismatch`], or what the driver says.
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

    /// How many elements it holds.
    pub fn len(&self) -> usize {
        self.memory.len()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.memory.is_empty()
    }

    /// Its address on the device. An empty buffer has no memory; it answers with an aligned address that is not null, as
    /// Rust asks of an empty slice's pointer.
    pub fn address(&self) -> u64 {
        if self.is_empty() || size_of::<T>() == 0 {
            return align_of::<T>() as u64;
        }
        self.memory.as_device_ptr().as_raw()
    }

    /// A buffer over memory that something else owns; it is not freed on drop.
    ///
    /// # Safety
    /// `address` is that of `len` initialised values of `T` on this device, and stays so while the buffer and the kernels it
    /// is passed to are in use.
    pub unsafe fn borrow_raw(device: &Device, address: u64, len: usize) -> ManuallyDrop<Self> {
        // SAFETY: the caller vouches for address and length; `ManuallyDrop` keeps `cust` from freeing what it does not own.
        let memory = unsafe { CustBuffer::from_raw_parts(DevicePointer::from_raw(address), len) };
        ManuallyDrop::new(Self {
            memory: ManuallyDrop::new(memory),
            device: device.clone(),
            order: Order::default(),
            pooled: None,
            whole: false,
        })
    }

    /// The same over memory whose uses something else remembers too.
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

    /// Forgets the streams it was last used on, so that the next launch does not wait for them.
    ///
    /// # Safety
    /// What still runs on those streams and what is launched next do not race on this buffer.
    pub unsafe fn forget_order(&self) {
        self.order.forget();
    }

    /// Called when it is passed to a launch on `stream`: orders that launch after the uses before. The use lasts until the launch is
    /// queued. A stream of another device may use it once that device reaches this one's memory.
    #[track_caller]
    pub(crate) fn use_on(
        &self,
        stream: &Stream,
        access: Access,
    ) -> Result<LaunchUse<Stream>, DriverError> {
        stream.device().must_reach(&self.device)?;
        self.use_for_copy(stream, access)
    }

    /// The same for a copy between buffers, which needs no access to the other device's memory.
    #[track_caller]
    pub(crate) fn use_for_copy(
        &self,
        stream: &Stream,
        access: Access,
    ) -> Result<LaunchUse<Stream>, DriverError> {
        if self.order.graph().is_some() {
            // It is there while the graph runs, and then for the graph's own work alone.
            let code = Code::ERROR_INVALID_VALUE;
            DriverError::check_code("use of a graph's own memory", code, Location::caller())?;
        }
        self.order.begin_on(stream, access)
    }

    /// The same for a synchronous copy, which runs on the legacy default stream of the buffer's device; that device is made current.
    pub(crate) fn use_now(
        &self,
        access: Access,
        at: &'static Location<'static>,
    ) -> Result<LaunchUse<Stream>, DriverError> {
        let begun = self.use_for_copy(&self.device.default_stream(), access)?;
        self.device.before_copy(at)?;
        Ok(begun)
    }

    /// Ends that: the copy is over, and whoever uses the buffer next need not wait for it.
    pub(crate) fn used_now(
        &self,
        begun: LaunchUse<Stream>,
        access: Access,
        at: &'static Location<'static>,
    ) -> Result<(), DriverError> {
        if access == Access::Write {
            // The call may have taken the bytes and not written them yet.
            self.device.finish_default_stream(at)?;
        }
        begun.settle();
        Ok(())
    }

    /// What a graph on a stream of this device remembers of it; none for what a graph can't watch over. `graph` is the one that is being built, which
    /// may use memory of its own.
    pub(crate) fn recorded(
        &self,
        stream: &Stream,
        access: Access,
        graph: Option<u64>,
    ) -> Option<(Order<Stream>, Access)> {
        let mine = self.order.graph().is_none_or(|of| graph == Some(of));
        let can = self.whole && mine && *stream.device() == self.device;
        can.then(|| {
            self.order.enter_graph();
            (self.order.clone(), access)
        })
    }

    /// Whether a graph may use it, which another thread may launch at any time. A launch of it waits for uses that are not queued yet, so none may wait
    /// before it is.
    fn is_in_graphs(&self) -> bool {
        let bytes = self.len() * size_of::<T>();
        bytes > 0 && self.order.graph().is_none() && self.order.is_in_graphs()
    }

    /// Memory that the graph of this number allocates whenever it is launched.
    ///
    /// # Safety
    /// The graph's work finds `len` initialised values of `T` there, and the buffer is given to nothing else.
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

    /// Whether it has memory of its own, from no pool.
    pub(crate) fn is_allocated(&self) -> bool {
        let bytes = self.len() * size_of::<T>();
        self.whole && self.pooled.is_none() && self.order.graph().is_none() && bytes > 0
    }

    /// What it was used for.
    pub(crate) fn order(&self) -> &Order<Stream> {
        &self.order
    }

    /// Managed memory of any contents, for [`crate::ManagedBuffer`], which fills it.
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
        let address = address.map_err(|source| Self::no_room(bytes, source))?;
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

    /// Its address, for work on `stream` by a library that this crate does not know, which reads it. What is queued there from now on comes
    /// after the writes before, and later writes come after what is queued there until then.
    ///
    /// # Errors
    /// The driver's; without access to the buffer's device, as a launch's.
    #[track_caller]
    pub fn read_on(&self, stream: &Stream) -> Result<u64, DriverError> {
        self.use_on(stream, Access::Read).map(|_| self.address())
    }

    /// The same for work that writes it.
    ///
    /// # Errors
    /// What [`Self::read_on`] fails with.
    #[track_caller]
    pub fn write_on(&mut self, stream: &Stream) -> Result<u64, DriverError> {
        self.use_on(stream, Access::Write).map(|_| self.address())
    }

    /// The device it is on.
    pub fn device(&self) -> &Device {
        &self.device
    }

    fn allocate(
        device: &Device,
        len: usize,
        at: &'static Location<'static>,
    ) -> Result<Self, MemoryError> {
        device.make_current(at)?;
        // A fault in this memory names the caller's line too.
        lanewise_driver::set_call_site(Some(at));
        // SAFETY: both callers fill the buffer before they hand it out.
        let memory = unsafe { CustBuffer::uninitialized(len) };
        lanewise_driver::set_call_site(None);
        let memory = memory.map_err(|error| {
            let source = DriverError::from_cust("cuMemAlloc", error, at);
            match error {
                CudaError::OutOfMemory | CudaError::InvalidMemoryAllocation => {
                    let (free, total) = cust::memory::mem_get_info().unwrap_or((0, 0));
                    MemoryError::OutOfMemory {
                        bytes: len.saturating_mul(size_of::<T>()),
                        free,
                        total,
                        source,
                    }
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
}

impl<T: DeviceCopy> Drop for DeviceBuffer<T> {
    #[track_caller]
    fn drop(&mut self) {
        if self.whole {
            self.order.end();
        }
        if let Some(stream) = &self.pooled {
            // Nobody to report to: after a fault the memory goes with the context. The stream gives it back after every use.
            for earlier in self.order.streams() {
                let _ = stream.wait_for(&earlier);
            }
            let _ = self.device.make_current(Location::caller());
            // SAFETY: allocated from the stream's pool, once, and used by nothing that is queued later.
            let _ = unsafe { sys::cuMemFreeAsync(self.address(), stream.raw()) };
            return;
        }
        // The driver frees memory once its own device is done with it, and does not know of others.
        for stream in self.order.streams() {
            if stream.device() != &self.device {
                let _ = stream.synchronize();
            }
        }
        // Nobody to report to: where the context cannot be made current, the free below fails and the memory goes with it.
        let _ = self.device.make_current(Location::caller());
        // SAFETY: dropped here only, and not used afterwards.
        unsafe { ManuallyDrop::drop(&mut self.memory) }
    }
}

/// An address of `bytes` bytes of managed memory that host and every stream may touch.
fn managed(bytes: usize, at: &'static Location<'static>) -> Result<u64, DriverError> {
    // From cuda.h: memory can be accessed by any stream on any device.
    const CU_MEM_ATTACH_GLOBAL: u32 = 1;
    let mut address = 0;
    // SAFETY: the result has a place.
    let result = unsafe { sys::cuMemAllocManaged(&mut address, bytes, CU_MEM_ATTACH_GLOBAL) };
    DriverError::check("cuMemAllocManaged", result, at)?;
    Ok(address)
}
