//! Pools: where memory comes from that is allocated and freed in the order of a stream.
//!
//! [`DeviceBuffer::zeroed_on`] takes from the device's own pool, which [`Device::memory_pool`] gives; a [`MemoryPool::new`] is a program's own, whose memory no other part of the program takes.
//! What is freed stays with the pool until the device is synchronised, and then goes back but for what the pool is told to keep.
//! Source: CUDA C++ Programming Guide, "Stream Ordered Memory Allocator"; CUDA driver API, `cuMemPoolCreate`, `cuMemPoolSetAttribute`.

use std::ffi::c_void;
use std::panic::Location;
use std::ptr::null_mut;

use bytemuck::Zeroable;
use cust::memory::DeviceCopy;
use cust::sys::{self, CUmemPool_attribute};
use lanewise_driver::abi::CUresult;

use crate::{Device, DeviceBuffer, DriverError, MemoryError, Stream};

/// A pool of device memory.
///
/// A program's own pool goes when it is dropped, but for what buffers have of it: that goes when they do.
#[derive(Debug)]
pub struct MemoryPool {
    raw: sys::CUmemoryPool,
    device: Device,
    /// Whether it is the device's, which is never destroyed.
    is_devices: bool,
}

// SAFETY: the handle is used in calls of the driver only, which any thread may make.
unsafe impl Send for MemoryPool {}
// SAFETY: as above; the driver's pools take calls of several threads at once.
unsafe impl Sync for MemoryPool {}

/// What a pool has of the device's memory, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolUsage {
    /// What it has taken from the device.
    pub reserved: u64,
    /// The most of that since [`MemoryPool::forget_most`].
    pub most_reserved: u64,
    /// What buffers have of it.
    pub used: u64,
    /// The most of that since [`MemoryPool::forget_most`].
    pub most_used: u64,
}

impl Device {
    /// The pool that [`DeviceBuffer::zeroed_on`] takes from.
    ///
    /// # Errors
    /// `CUDA_ERROR_NOT_SUPPORTED` on a device without pools.
    #[track_caller]
    pub fn memory_pool(&self) -> Result<MemoryPool, DriverError> {
        let (at, mut raw) = (Location::caller(), null_mut());
        self.make_current(at)?;
        // SAFETY: the result has a place.
        let result = unsafe { sys::cuDeviceGetMemPool(&mut raw, self.ordinal() as i32) };
        DriverError::check("cuDeviceGetMemPool", result, at)?;
        Ok(MemoryPool {
            raw,
            device: self.clone(),
            is_devices: true,
        })
    }
}

impl MemoryPool {
    /// A pool of the program's own on this device.
    ///
    /// # Errors
    /// `CUDA_ERROR_NOT_SUPPORTED` on a device without pools.
    #[track_caller]
    pub fn new(device: &Device) -> Result<Self, DriverError> {
        let (at, mut raw) = (Location::caller(), null_mut());
        device.make_current(at)?;
        let properties = sys::CUmemPoolProps {
            allocType: sys::CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED,
            handleTypes: sys::CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_NONE,
            location: sys::CUmemLocation {
                type_: sys::CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE,
                id: device.ordinal() as i32,
            },
            win32SecurityAttributes: null_mut(),
            reserved: [0; 64],
        };
        // SAFETY: the result has a place, and the properties are whole.
        let result = unsafe { sys::cuMemPoolCreate(&mut raw, &properties) };
        DriverError::check("cuMemPoolCreate", result, at)?;
        Ok(Self {
            raw,
            device: device.clone(),
            is_devices: false,
        })
    }

    /// `len` zeroes from this pool, in the order of `stream`: as [`DeviceBuffer::zeroed_on`].
    ///
    /// # Errors
    /// What [`DeviceBuffer::from_slice`] fails with; `CUDA_ERROR_INVALID_VALUE` for a stream of a device that the pool is not of.
    #[track_caller]
    pub fn zeroed<T: DeviceCopy + Zeroable>(
        &self,
        stream: &Stream,
        len: usize,
    ) -> Result<DeviceBuffer<T>, MemoryError> {
        if stream.device() != &self.device {
            // A GPU's driver may take it, for streams that reach the pool's memory; the buffer would be taken for one of theirs.
            let (call, at) = ("cuMemAllocFromPoolAsync", Location::caller());
            DriverError::check_code(call, CUresult::ERROR_INVALID_VALUE, at)?;
        }
        DeviceBuffer::zeroed_from(Some(self.raw), stream, len)
    }

    /// Has the pool keep so many bytes of what is freed when the device is synchronised, which is nothing at first; `u64::MAX` for all. A program that allocates the same again and
    /// again in each of its steps wants that.
    ///
    /// # Errors
    /// The driver's answer.
    #[doc(alias = "CU_MEMPOOL_ATTR_RELEASE_THRESHOLD")]
    #[track_caller]
    pub fn keep(&self, bytes: u64) -> Result<(), DriverError> {
        self.set(
            CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD,
            bytes,
        )
    }

    /// How much it keeps, as [`keep`](Self::keep) has said.
    ///
    /// # Errors
    /// The driver's answer.
    #[track_caller]
    pub fn kept(&self) -> Result<u64, DriverError> {
        self.get(CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD)
    }

    /// Gives what no buffer has back to the device, but for so many bytes.
    ///
    /// # Errors
    /// The driver's answer.
    #[doc(alias = "cuMemPoolTrimTo")]
    #[track_caller]
    pub fn trim(&self, bytes: usize) -> Result<(), DriverError> {
        let at = Location::caller();
        self.device.make_current(at)?;
        // SAFETY: the pool is live.
        let result = unsafe { sys::cuMemPoolTrimTo(self.raw, bytes) };
        DriverError::check("cuMemPoolTrimTo", result, at)
    }

    /// What it has, and what of that is used.
    ///
    /// # Errors
    /// The driver's answer.
    #[track_caller]
    pub fn usage(&self) -> Result<PoolUsage, DriverError> {
        use CUmemPool_attribute::*;
        Ok(PoolUsage {
            reserved: self.get(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT)?,
            most_reserved: self.get(CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH)?,
            used: self.get(CU_MEMPOOL_ATTR_USED_MEM_CURRENT)?,
            most_used: self.get(CU_MEMPOOL_ATTR_USED_MEM_HIGH)?,
        })
    }

    /// Begins to count the most of [`usage`](Self::usage) anew, from what it is now.
    ///
    /// # Errors
    /// The driver's answer.
    #[track_caller]
    pub fn forget_most(&self) -> Result<(), DriverError> {
        self.set(CUmemPool_attribute::CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH, 0)?;
        self.set(CUmemPool_attribute::CU_MEMPOOL_ATTR_USED_MEM_HIGH, 0)
    }

    #[track_caller]
    fn get(&self, attribute: CUmemPool_attribute) -> Result<u64, DriverError> {
        let (at, mut value) = (Location::caller(), 0u64);
        self.device.make_current(at)?;
        let to = (&raw mut value).cast::<c_void>();
        // SAFETY: the pool is live, and these attributes have 64 bits.
        let result = unsafe { sys::cuMemPoolGetAttribute(self.raw, attribute, to) };
        DriverError::check("cuMemPoolGetAttribute", result, at)?;
        Ok(value)
    }

    #[track_caller]
    fn set(&self, attribute: CUmemPool_attribute, mut value: u64) -> Result<(), DriverError> {
        let at = Location::caller();
        self.device.make_current(at)?;
        let from = (&raw mut value).cast::<c_void>();
        // SAFETY: the pool is live, and these attributes have 64 bits.
        let result = unsafe { sys::cuMemPoolSetAttribute(self.raw, attribute, from) };
        DriverError::check("cuMemPoolSetAttribute", result, at)
    }
}

impl Drop for MemoryPool {
    fn drop(&mut self) {
        if !self.is_devices && self.device.make_current(Location::caller()).is_ok() {
            // SAFETY: the pool is the program's own, and nobody has its handle any more; the driver keeps what is used.
            unsafe { sys::cuMemPoolDestroy(self.raw) };
        }
    }
}
