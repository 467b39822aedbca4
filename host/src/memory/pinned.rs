//! Host memory that stays in place, so that the device can access it: pinned, registered, mapped.
//!
//! The pages of ordinary ("pageable") memory may be moved or swapped out at any time, so the driver
//! copies them through a pinned buffer of its own. The copy engine reads pinned memory directly,
//! and such a copy may run beside the host. Pinned memory is also mapped: a kernel can read it in
//! place, over the bus ("zero copy"). Too much pinned memory leaves too little for the rest of the
//! machine, and allocating it is slow.
//! Source: CUDA driver API, `cuMemHostAlloc`, `cuMemHostRegister`, `cuMemHostGetDevicePointer`;
//! Professional CUDA C Programming, chapter 4; CUDA C++ Best Practices Guide, "Memory
//! Optimizations".

use std::alloc::{Layout, dealloc};
use std::ffi::c_void;
use std::mem::{ManuallyDrop, size_of};
use std::panic::Location;
use std::ptr::{NonNull, null_mut};
use std::sync::{Mutex, PoisonError};

use bytemuck::Zeroable;
use lanewise_driver::abi::CUresult;
use lanewise_driver::abi::enums::{host_alloc, host_register};
use lanewise_driver::api;

use crate::memory::buffer::Borrowed;
use crate::stream::order::{Access, Order};
use crate::{
    Device, DeviceBuffer, DeviceCopy, DriverError, Event, EventOptions, MemoryError, Stream, late,
};

/// How pinned memory is allocated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pinning {
    /// Cached, like ordinary host memory.
    Cached,
    /// Write-combined: not cached. It leaves the caches to other data and is faster over the bus,
    /// but very slow for the host to read.
    WriteCombined,
}

/// `len` values of `T` in pinned host memory. The memory is unpinned and freed when the
/// buffer is dropped.
#[derive(Debug)]
pub struct PinnedBuffer<T: DeviceCopy> {
    device: Device,
    pointer: NonNull<T>,
    len: usize,
    uses: Uses,
    /// The program's own memory, if it was registered.
    registered: Option<Vec<T>>,
}

// SAFETY: only this buffer owns the memory, and the driver may be called from any thread.
unsafe impl<T: DeviceCopy + Send> Send for PinnedBuffer<T> {}
// SAFETY: through a shared reference the memory is only read.
unsafe impl<T: DeviceCopy + Sync> Sync for PinnedBuffer<T> {}

impl<T: DeviceCopy> PinnedBuffer<T> {
    /// Allocates `len` zeroes.
    ///
    /// # Errors
    /// The driver's error, such as `CUDA_ERROR_OUT_OF_MEMORY`.
    #[track_caller]
    pub fn zeroed(device: &Device, len: usize, pinning: Pinning) -> Result<Self, MemoryError>
    where
        T: Zeroable,
    {
        let flags = match pinning {
            Pinning::Cached => 0,
            Pinning::WriteCombined => host_alloc::WRITECOMBINED,
        };
        // SAFETY: the next statement fills the memory.
        let made = unsafe { Self::allocate_with(device, len, flags) }?;
        if len > 0 {
            // SAFETY: this many elements were allocated, and may be all zeros.
            unsafe { made.pointer.write_bytes(0, len) };
        }
        Ok(made)
    }

    /// Allocates `len` values with arbitrary contents.
    ///
    /// # Errors
    /// The driver's error, such as `CUDA_ERROR_OUT_OF_MEMORY`.
    ///
    /// # Safety
    /// The memory is filled before it is read.
    #[track_caller]
    pub(crate) unsafe fn allocate(device: &Device, len: usize) -> Result<Self, MemoryError> {
        // SAFETY: the caller promises the same.
        unsafe { Self::allocate_with(device, len, 0) }
    }

    /// As [`Self::allocate`], with the caller's flags `CU_MEMHOSTALLOC_..`.
    ///
    /// # Safety
    /// As for [`Self::allocate`].
    #[track_caller]
    unsafe fn allocate_with(device: &Device, len: usize, flags: u32) -> Result<Self, MemoryError> {
        let at = Location::caller();
        let mut pointer = null_mut();
        if len > 0 && size_of::<T>() > 0 {
            device.make_current(at)?;
            let flags = host_alloc::DEVICEMAP | flags;
            let bytes = len.saturating_mul(size_of::<T>());
            // SAFETY: the result is written to a local variable. A size that overflows saturates,
            // and the driver refuses it.
            let result = unsafe { api::cuMemHostAlloc(&mut pointer, bytes, flags) };
            DriverError::check("cuMemHostAlloc", result, at)?;
        }
        Ok(Self {
            device: device.clone(),
            pointer: NonNull::new(pointer.cast()).unwrap_or(NonNull::dangling()),
            len,
            uses: Uses::default(),
            registered: None,
        })
    }

    /// Pins the program's own memory in place.
    ///
    /// # Errors
    /// The driver's error. After a fault in a kernel, every call on its context returns that error.
    #[track_caller]
    pub fn register(device: &Device, mut memory: Vec<T>) -> Result<Self, MemoryError> {
        let at = Location::caller();
        let len = memory.len();
        let pointer = memory.as_mut_ptr();
        if len > 0 && size_of::<T>() > 0 {
            device.make_current(at)?;
            let flags = host_register::DEVICEMAP;
            // SAFETY: the buffer keeps the vector, and does not use it otherwise, until the
            // memory is unregistered.
            let result =
                unsafe { api::cuMemHostRegister_v2(pointer.cast(), len * size_of::<T>(), flags) };
            DriverError::check("cuMemHostRegister", result, at)?;
        }
        Ok(Self {
            device: device.clone(),
            pointer: NonNull::new(pointer).unwrap_or(NonNull::dangling()),
            len,
            uses: Uses::default(),
            registered: Some(memory),
        })
    }

    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether the buffer has no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the contents. Waits for the copies that write the memory, and for the streams whose
    /// kernels use it ([`PinnedBuffer::mapped`]).
    ///
    /// # Errors
    /// The driver's error, or the fault of a kernel that ran before.
    #[track_caller]
    pub fn as_slice(&self) -> Result<&[T], DriverError> {
        self.uses.wait(Access::Read)?;
        // SAFETY: the memory has `len` elements, which were initialised when it was made. Nothing
        // on the device writes it any more.
        Ok(unsafe { std::slice::from_raw_parts(self.pointer.as_ptr(), self.len) })
    }

    /// Returns the contents for writing. Waits as [`Self::as_slice`] does, and also for the copies
    /// that read the memory.
    ///
    /// # Errors
    /// As [`Self::as_slice`].
    #[track_caller]
    pub fn as_mut_slice(&mut self) -> Result<&mut [T], DriverError> {
        self.uses.wait(Access::Write)?;
        // SAFETY: as in `as_slice`, and nothing on the device reads it any more.
        Ok(unsafe { std::slice::from_raw_parts_mut(self.pointer.as_ptr(), self.len) })
    }

    /// Returns the same memory as a buffer of the device. A kernel that is passed this buffer
    /// accesses the host's memory over the bus.
    ///
    /// # Errors
    /// The driver's error. After a fault in a kernel, every call on its context returns that error.
    #[track_caller]
    pub fn mapped(&mut self) -> Result<Mapped<'_, T>, DriverError> {
        let at = Location::caller();
        self.uses.wait_for_copies(Access::Write)?;
        let mut address = 0;
        if self.len > 0 && size_of::<T>() > 0 {
            self.device.make_current(at)?;
            // SAFETY: the result is written to a local variable, and the memory is
            // pinned and mapped.
            let result = unsafe {
                api::cuMemHostGetDevicePointer_v2(&mut address, self.pointer.as_ptr().cast(), 0)
            };
            DriverError::check("cuMemHostGetDevicePointer", result, at)?;
        }
        // SAFETY: the address is that of this memory, which is borrowed while the result exists.
        // Methods that return slices of it wait for the device.
        let buffer = unsafe {
            DeviceBuffer::borrow_ordered(&self.device, address, self.len, &self.uses.order)
        };
        Ok(Mapped {
            buffer,
            host: std::marker::PhantomData,
        })
    }
}

impl<T: DeviceCopy> PinnedBuffer<T> {
    /// Returns the address on the host.
    pub(crate) fn pointer(&self) -> *mut T {
        self.pointer.as_ptr()
    }

    /// Returns the uses by the device.
    pub(crate) fn uses(&self) -> &Uses {
        &self.uses
    }
}

/// The uses of pinned memory by the device.
#[derive(Debug, Default)]
pub(crate) struct Uses {
    /// The uses by kernels, through [`PinnedBuffer::mapped`].
    order: Order<Stream>,
    /// The uses by copies ([`Stream::copy_in`]): the kind of access, and the event after each copy.
    copies: Mutex<Vec<(Access, Event)>>,
}

impl Uses {
    /// Waits until the host may read or write the memory, as `access` says.
    #[track_caller]
    fn wait(&self, access: Access) -> Result<(), DriverError> {
        // A kernel may read or write the memory.
        self.order.synchronize()?;
        self.wait_for_copies(access)
    }

    #[track_caller]
    fn wait_for_copies(&self, access: Access) -> Result<(), DriverError> {
        let copies = || self.copies.lock().unwrap_or_else(PoisonError::into_inner);
        let all = copies().clone();
        // The lock is not held while this waits: another thread may need it to queue a copy, and
        // the work that is waited for may wait for that thread.
        for (_, done) in all.iter().filter(|(earlier, _)| conflict(*earlier, access)) {
            done.synchronize()?;
        }
        copies().retain(is_under_way);
        Ok(())
    }

    /// Queues a `copy` on `stream` after the copies that it conflicts with, and returns the
    /// event after it.
    #[track_caller]
    pub(crate) fn begin(
        &self,
        stream: &Stream,
        access: Access,
        copy: &mut dyn FnMut() -> Result<(), DriverError>,
    ) -> Result<Event, DriverError> {
        for earlier in self.order.streams() {
            stream.wait_for(&earlier)?;
        }
        let mut copies = self.copies.lock().unwrap_or_else(PoisonError::into_inner);
        for (_, earlier) in copies
            .iter()
            .filter(|(earlier, _)| conflict(*earlier, access))
        {
            stream.wait_event(earlier)?;
        }
        let done = stream
            .device()
            .event_with(EventOptions::new().without_time())?;
        copy()?;
        if let Err(error) = done.record(stream) {
            // There is no event after the copy, so waiting for it means waiting for the stream.
            let _ = self
                .order
                .begin(stream, Access::Write, |_, _| Ok::<(), ()>(()));
            return Err(error);
        }
        copies.retain(is_under_way);
        copies.push((access, done.clone()));
        Ok(done)
    }
}

/// Returns whether a copy may still be under way.
fn is_under_way((_, done): &(Access, Event)) -> bool {
    !matches!(done.is_done(), Ok(true))
}

/// Returns whether two uses must keep their order.
fn conflict(earlier: Access, later: Access) -> bool {
    earlier == Access::Write || later == Access::Write
}

/// Pinned host memory as a buffer of the device. Pass `&mapped` if the kernel reads it, and
/// `&mut mapped` if it writes it.
///
/// It gives no `&mut DeviceBuffer`, because swapping that with another buffer would let the host's
/// memory outlive its owner:
/// ```compile_fail,E0596
/// # use lanewise::{Device, DeviceBuffer, PinnedBuffer, Pinning};
/// # fn f(device: Device, mut other: DeviceBuffer<f32>) {
/// let mut pinned = PinnedBuffer::<f32>::zeroed(&device, 8, Pinning::Cached).unwrap();
/// std::mem::swap(&mut *pinned.mapped().unwrap(), &mut other);
/// # }
/// ```
#[derive(Debug)]
pub struct Mapped<'host, T: DeviceCopy> {
    buffer: Borrowed<T>,
    host: std::marker::PhantomData<&'host mut T>,
}

impl<T: DeviceCopy> std::ops::Deref for Mapped<'_, T> {
    type Target = DeviceBuffer<T>;

    fn deref(&self) -> &DeviceBuffer<T> {
        &self.buffer
    }
}

impl<T: DeviceCopy> Mapped<'_, T> {
    /// Replaces the contents with `host`. The driver makes the copy.
    ///
    /// # Errors
    /// As [`DeviceBuffer::copy_from_slice`].
    #[track_caller]
    pub fn copy_from_slice(&mut self, host: &[T]) -> Result<(), MemoryError> {
        self.buffer.copy_from_slice(host)
    }
}

impl<T: DeviceCopy> Drop for PinnedBuffer<T> {
    fn drop(&mut self) {
        if self.len == 0 || size_of::<T>() == 0 {
            return;
        }
        let copies = self.uses.copies.get_mut();
        let copies = std::mem::take(copies.unwrap_or_else(PoisonError::into_inner));
        late::end(Ending {
            device: self.device.clone(),
            pointer: self.pointer.cast(),
            order: self.uses.order.clone(),
            copies: copies.into_iter().map(|(_, copy)| copy).collect(),
            registered: self.registered.take().map(Untyped::of),
        });
    }
}

/// Pinned memory whose buffer was dropped.
struct Ending {
    device: Device,
    pointer: NonNull<c_void>,
    order: Order<Stream>,
    copies: Vec<Event>,
    registered: Option<Untyped>,
}

// SAFETY: this value owns the memory and only frees it, and the driver may be called
// from any thread.
unsafe impl Send for Ending {}

impl Drop for Ending {
    fn drop(&mut self) {
        // A kernel or a copy, of this device or another, may still use the memory.
        let mut over = true;
        for copy in &self.copies {
            over &= copy.synchronize().is_ok();
        }
        for stream in self.order.streams() {
            over &= stream.synchronize().is_ok();
        }
        let pointer = self.pointer.as_ptr();
        let ended = over && self.device.make_current(Location::caller()).is_ok() && {
            // SAFETY: the buffer pinned the memory in this way, once, and nothing uses it any more.
            let result = unsafe {
                match self.registered {
                    Some(_) => api::cuMemHostUnregister(pointer),
                    None => api::cuMemFreeHost(pointer),
                }
            };
            result == CUresult::SUCCESS
        };
        if !ended {
            // A drop cannot report errors. After a fault no wait is possible, so the memory
            // is not freed.
            std::mem::forget(self.registered.take());
        }
    }
}

/// The memory of a vector, without the type of its elements.
struct Untyped {
    pointer: NonNull<u8>,
    layout: Layout,
}

impl Untyped {
    /// Takes the vector's memory. `DeviceCopy` types have no destructors.
    fn of<T: DeviceCopy>(vector: Vec<T>) -> Self {
        let mut vector = ManuallyDrop::new(vector);
        let bytes = vector.capacity() * size_of::<T>(); // it is there, so the number fits
        // SAFETY: a vector's pointer is not null.
        let pointer = unsafe { NonNull::new_unchecked(vector.as_mut_ptr().cast()) };
        // SAFETY: the alignment is that of a type, and the size is that of existing memory.
        let layout = unsafe { Layout::from_size_align_unchecked(bytes, align_of::<T>()) };
        Self { pointer, layout }
    }
}

impl Drop for Untyped {
    fn drop(&mut self) {
        if self.layout.size() > 0 {
            // SAFETY: the memory is that of a vector, which the global allocator allocated
            // with this layout.
            unsafe { dealloc(self.pointer.as_ptr(), self.layout) };
        }
    }
}
