//! Memory pools, for memory that is allocated and freed in the order of a stream.
//!
//! [`DeviceBuffer::zeroed_on`] allocates from the device's own pool, which [`Device::memory_pool`]
//! returns. [`MemoryPool::new`] makes another pool, which no other part of the program allocates
//! from. Freed memory stays in the pool until the device is synchronised. Then the pool returns it
//! to the device, except for the amount that [`MemoryPool::keep`] sets.
//! Source: CUDA C++ Programming Guide, "Stream Ordered Memory Allocator"; CUDA driver
//! API, `cuMemPoolCreate`, `cuMemPoolSetAttribute`.

use std::ffi::c_void;
use std::panic::Location;
use std::ptr::null_mut;

use bytemuck::Zeroable;
use lanewise_driver::abi::enums::{memory_allocation, memory_location, pool_attribute};
use lanewise_driver::abi::{CUmemLocation, CUmemPoolProps, CUmemoryPool, CUresult};
use lanewise_driver::api;

use crate::{Device, DeviceBuffer, DeviceCopy, DriverError, MemoryError, Stream, late};

/// A pool of device memory.
///
/// Dropping a pool from [`MemoryPool::new`] frees its memory. Memory that buffers still use is
/// freed when they are dropped.
#[derive(Debug)]
pub struct MemoryPool {
    raw: CUmemoryPool,
    device: Device,
    /// Whether it is the device's own pool, which is never destroyed.
    is_devices: bool,
}

/// How much of the device's memory a pool has, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolUsage {
    /// The memory that the pool has taken from the device.
    pub reserved: u64,
    /// The maximum of `reserved` since [`MemoryPool::forget_most`].
    pub most_reserved: u64,
    /// The memory that buffers use.
    pub used: u64,
    /// The maximum of `used` since [`MemoryPool::forget_most`].
    pub most_used: u64,
}

impl Device {
    /// Returns the pool that [`DeviceBuffer::zeroed_on`] allocates from.
    ///
    /// # Errors
    /// `CUDA_ERROR_NOT_SUPPORTED` on a device without pools.
    #[track_caller]
    pub fn memory_pool(&self) -> Result<MemoryPool, DriverError> {
        let (at, mut raw) = (Location::caller(), CUmemoryPool::default());
        self.make_current(at)?;
        // SAFETY: the result is written to a local variable.
        let result = unsafe { api::cuDeviceGetMemPool(&mut raw, self.number()) };
        DriverError::check("cuDeviceGetMemPool", result, at)?;
        Ok(MemoryPool {
            raw,
            device: self.clone(),
            is_devices: true,
        })
    }
}

impl MemoryPool {
    /// Makes a pool on this device.
    ///
    /// # Errors
    /// `CUDA_ERROR_NOT_SUPPORTED` on a device without pools.
    #[track_caller]
    pub fn new(device: &Device) -> Result<Self, DriverError> {
        let (at, mut raw) = (Location::caller(), CUmemoryPool::default());
        device.make_current(at)?;
        let properties = CUmemPoolProps {
            allocation_kind: memory_allocation::PINNED,
            location: CUmemLocation {
                kind: memory_location::DEVICE,
                id: device.number(),
            },
            handle_types: 0,
            win32_security_attributes: null_mut(),
            max_size: 0,
            usage: 0,
            reserved: [0; 54],
        };
        // SAFETY: the result is written to a local variable, and the properties are complete.
        let result = unsafe { api::cuMemPoolCreate(&mut raw, (&raw const properties).cast()) };
        DriverError::check("cuMemPoolCreate", result, at)?;
        Ok(Self {
            raw,
            device: device.clone(),
            is_devices: false,
        })
    }

    /// Makes a buffer of `len` zeroes from this pool, in the order of `stream`,
    /// as [`DeviceBuffer::zeroed_on`] does.
    ///
    /// # Errors
    /// As [`DeviceBuffer::from_slice`]; `CUDA_ERROR_INVALID_VALUE` for a stream of another device.
    #[track_caller]
    pub fn zeroed<T: DeviceCopy + Zeroable>(
        &self,
        stream: &Stream,
        len: usize,
    ) -> Result<DeviceBuffer<T>, MemoryError> {
        if stream.device() != &self.device {
            // A GPU's driver accepts a stream of another device that can access the pool's memory.
            // The buffer would then count as a buffer of that device.
            let (call, at) = ("cuMemAllocFromPoolAsync", Location::caller());
            DriverError::check(call, CUresult::ERROR_INVALID_VALUE, at)?;
        }
        DeviceBuffer::zeroed_from(Some(self.raw), stream, len)
    }

    /// Sets how many bytes of freed memory the pool keeps when the device is synchronised. The
    /// default is 0, and `u64::MAX` keeps everything. This makes a program faster that allocates
    /// the same memory in each of its steps.
    ///
    /// # Errors
    /// The driver's error.
    #[doc(alias = "CU_MEMPOOL_ATTR_RELEASE_THRESHOLD")]
    #[track_caller]
    pub fn keep(&self, bytes: u64) -> Result<(), DriverError> {
        self.set(pool_attribute::RELEASE_THRESHOLD, bytes)
    }

    /// Returns how many bytes of freed memory the pool keeps; see [`keep`](Self::keep).
    ///
    /// # Errors
    /// The driver's error.
    #[track_caller]
    pub fn kept(&self) -> Result<u64, DriverError> {
        self.get(pool_attribute::RELEASE_THRESHOLD)
    }

    /// Returns unused memory to the device, except for `bytes` bytes.
    ///
    /// # Errors
    /// The driver's error.
    #[doc(alias = "cuMemPoolTrimTo")]
    #[track_caller]
    pub fn trim(&self, bytes: usize) -> Result<(), DriverError> {
        let at = Location::caller();
        self.device.make_current(at)?;
        // SAFETY: the pool is live.
        let result = unsafe { api::cuMemPoolTrimTo(self.raw, bytes) };
        DriverError::check("cuMemPoolTrimTo", result, at)
    }

    /// Returns how much memory the pool has, and how much of that is used.
    ///
    /// # Errors
    /// The driver's error.
    #[track_caller]
    pub fn usage(&self) -> Result<PoolUsage, DriverError> {
        Ok(PoolUsage {
            reserved: self.get(pool_attribute::RESERVED_MEM_CURRENT)?,
            most_reserved: self.get(pool_attribute::RESERVED_MEM_HIGH)?,
            used: self.get(pool_attribute::USED_MEM_CURRENT)?,
            most_used: self.get(pool_attribute::USED_MEM_HIGH)?,
        })
    }

    /// Resets the maxima of [`usage`](Self::usage) to the present values.
    ///
    /// # Errors
    /// The driver's error.
    #[track_caller]
    pub fn forget_most(&self) -> Result<(), DriverError> {
        self.set(pool_attribute::RESERVED_MEM_HIGH, 0)?;
        self.set(pool_attribute::USED_MEM_HIGH, 0)
    }

    #[track_caller]
    fn get(&self, attribute: u32) -> Result<u64, DriverError> {
        let (at, mut value) = (Location::caller(), 0u64);
        self.device.make_current(at)?;
        let to = (&raw mut value).cast::<c_void>();
        // SAFETY: the pool is live, and these attributes have 64 bits.
        let result = unsafe { api::cuMemPoolGetAttribute(self.raw, attribute, to) };
        DriverError::check("cuMemPoolGetAttribute", result, at)?;
        Ok(value)
    }

    #[track_caller]
    fn set(&self, attribute: u32, mut value: u64) -> Result<(), DriverError> {
        let at = Location::caller();
        self.device.make_current(at)?;
        let from = (&raw mut value).cast::<c_void>();
        // SAFETY: the pool is live, and these attributes have 64 bits.
        let result = unsafe { api::cuMemPoolSetAttribute(self.raw, attribute, from) };
        DriverError::check("cuMemPoolSetAttribute", result, at)
    }
}

impl Drop for MemoryPool {
    fn drop(&mut self) {
        if !self.is_devices {
            late::end(Ending {
                raw: self.raw,
                device: self.device.clone(),
            });
        }
    }
}

/// A pool from [`MemoryPool::new`] that was dropped.
struct Ending {
    raw: CUmemoryPool,
    device: Device,
}

impl Drop for Ending {
    fn drop(&mut self) {
        if self.device.make_current(Location::caller()).is_ok() {
            // SAFETY: the program made the pool, and nothing uses its handle any more. The driver
            // keeps the memory that is still used.
            unsafe { api::cuMemPoolDestroy(self.raw) };
        }
    }
}
