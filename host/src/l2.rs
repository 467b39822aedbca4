//! Persisting data in the L2 cache: a part of the cache that is set aside, and windows over memory
//! whose accesses may use that part.
//!
//! This needs compute capability 8.0 and has three steps. First call [`Device::set_aside_l2`],
//! then [`Stream::set_l2_window`] for the kernels that follow on a stream. When they are done,
//! call [`Stream::clear_l2_window`] and [`Device::reset_persisting_l2`], because lines stay
//! persisting until then.
//! Source: CUDA C++ Programming Guide, "Device Memory L2 Access Management".

use std::panic::Location;
use std::ptr::null_mut;

use lanewise_driver::abi::enums::{access_property, launch_attribute, limit};
use lanewise_driver::abi::{CUaccessPolicyWindow, CUlaunchAttributeValue};
use lanewise_driver::api;
use lanewise_driver::device_attribute;

use crate::{Device, DeviceBuffer, DeviceCopy, DriverError, Stream};

/// A window over device memory: its address, its size, and the share of accesses that persist.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct L2Window {
    /// The first byte's address.
    pub address: u64,
    /// The size in bytes; 0 means no window.
    pub bytes: usize,
    /// The share of accesses in the window that persist, from 0 to 1. The hardware chooses them.
    /// Use less than 1 if the window is larger than the part that is set aside, so that its lines
    /// do not evict each other.
    pub hit_ratio: f32,
}

/// The value that the driver reads and writes: a window at its beginning.
#[repr(C)]
union Attribute {
    window: CUaccessPolicyWindow,
    whole: CUlaunchAttributeValue,
}

impl Attribute {
    const EMPTY: Self = Self {
        whole: CUlaunchAttributeValue { bytes: [0; 64] },
    };
}

const NO_WINDOW: CUaccessPolicyWindow = CUaccessPolicyWindow {
    base_ptr: null_mut(),
    num_bytes: 0,
    hit_ratio: 0.0,
    hit_property: access_property::NORMAL,
    miss_property: access_property::NORMAL,
};

impl Device {
    /// Returns the maximum number of bytes of L2 that can be set aside. It is 0 before
    /// compute capability 8.0.
    ///
    /// # Errors
    /// The driver's error. After a fault in a kernel, every call on its context returns that error.
    #[track_caller]
    pub fn max_persisting_l2(&self) -> Result<usize, DriverError> {
        let attribute = device_attribute::MAX_PERSISTING_L2_CACHE_SIZE;
        self.l2_attribute(attribute, Location::caller())
    }

    /// Returns the maximum size of a window in bytes.
    ///
    /// # Errors
    /// The driver's error. After a fault in a kernel, every call on its context returns that error.
    #[track_caller]
    pub fn max_l2_window(&self) -> Result<usize, DriverError> {
        let attribute = device_attribute::MAX_ACCESS_POLICY_WINDOW_SIZE;
        self.l2_attribute(attribute, Location::caller())
    }

    fn l2_attribute(
        &self,
        attribute: u32,
        at: &'static Location<'static>,
    ) -> Result<usize, DriverError> {
        let mut value = 0;
        // SAFETY: the result is written to a local variable.
        let result = unsafe { api::cuDeviceGetAttribute(&mut value, attribute, self.number()) };
        DriverError::check("cuDeviceGetAttribute", result, at)?;
        Ok(usize::try_from(value).unwrap_or(0))
    }

    /// Sets a part of L2 aside for accesses in windows, and returns its size in bytes. The driver
    /// rounds the size, and grants at most [`Device::max_persisting_l2`].
    ///
    /// # Errors
    /// The driver's error, for example if the device can set nothing aside.
    #[track_caller]
    pub fn set_aside_l2(&self, bytes: usize) -> Result<usize, DriverError> {
        let at = Location::caller();
        self.make_current(at)?;
        let limit = limit::PERSISTING_L2_CACHE_SIZE;
        // SAFETY: the call sets a limit of the current context and takes no pointer.
        let result = unsafe { api::cuCtxSetLimit(limit, bytes) };
        DriverError::check("cuCtxSetLimit", result, at)?;
        let mut granted = 0;
        // SAFETY: the result is written to a local variable.
        let result = unsafe { api::cuCtxGetLimit(&mut granted, limit) };
        DriverError::check("cuCtxGetLimit", result, at)?;
        Ok(granted)
    }

    /// Resets every persisting line of L2 to a normal line.
    ///
    /// # Errors
    /// The driver's error. After a fault in a kernel, every call on its context returns that error.
    #[track_caller]
    pub fn reset_persisting_l2(&self) -> Result<(), DriverError> {
        let at = Location::caller();
        self.make_current(at)?;
        // SAFETY: the call works on the current context and takes no pointer.
        let result = unsafe { api::cuCtxResetPersistingL2Cache() };
        DriverError::check("cuCtxResetPersistingL2Cache", result, at)
    }
}

impl Stream {
    /// Makes accesses to `buffer` persist in L2, for kernels that are launched on this stream from
    /// now on. `hit_ratio` is the share of accesses that persist, from 0 to 1. A smaller value or a
    /// NaN counts as 0, and a larger one as 1. If the buffer is longer than
    /// [`Device::max_l2_window`], the window covers only its start.
    ///
    /// # Errors
    /// The driver's error. After a fault in a kernel, every call on its context returns that error.
    #[track_caller]
    pub fn set_l2_window<T: DeviceCopy>(
        &self,
        buffer: &DeviceBuffer<T>,
        hit_ratio: f32,
    ) -> Result<(), DriverError> {
        let at = Location::caller();
        if buffer.is_empty() {
            return self.set_window(NO_WINDOW, at);
        }
        let bytes = (buffer.len() * size_of::<T>()).min(buffer.device().max_l2_window()?);
        #[expect(
            clippy::manual_clamp,
            reason = "`clamp` would keep a NaN, which becomes 0 here"
        )]
        let hit_ratio = hit_ratio.max(0.0).min(1.0);
        let window = CUaccessPolicyWindow {
            base_ptr: std::ptr::with_exposed_provenance_mut(buffer.address() as usize),
            num_bytes: bytes,
            hit_ratio,
            hit_property: access_property::PERSISTING,
            miss_property: access_property::STREAMING,
        };
        self.set_window(window, at)
    }

    /// Removes the window: kernels that are launched on this stream from now on use L2 normally.
    ///
    /// # Errors
    /// The driver's error. After a fault in a kernel, every call on its context returns that error.
    #[track_caller]
    pub fn clear_l2_window(&self) -> Result<(), DriverError> {
        self.set_window(NO_WINDOW, Location::caller())
    }

    /// Returns the window that is set on this stream.
    ///
    /// # Errors
    /// The driver's error. After a fault in a kernel, every call on its context returns that error.
    #[track_caller]
    pub fn l2_window(&self) -> Result<L2Window, DriverError> {
        let at = Location::caller();
        let mut found = Attribute::EMPTY;
        let id = launch_attribute::ACCESS_POLICY_WINDOW;
        let stream = self.handle();
        // SAFETY: the result has the 64 bytes that current drivers write.
        let result = unsafe { api::cuStreamGetAttribute(stream, id, (&raw mut found).cast()) };
        DriverError::check("cuStreamGetAttribute", result, at)?;
        // SAFETY: this member of the union was initialised above, and the driver may
        // have written it.
        let window = unsafe { found.window };
        Ok(L2Window {
            address: window.base_ptr.addr() as u64,
            bytes: window.num_bytes,
            hit_ratio: window.hit_ratio,
        })
    }

    fn set_window(
        &self,
        window: CUaccessPolicyWindow,
        at: &'static Location<'static>,
    ) -> Result<(), DriverError> {
        let mut value = Attribute::EMPTY;
        value.window = window;
        let id = launch_attribute::ACCESS_POLICY_WINDOW;
        let stream = self.handle();
        // SAFETY: the value has at least as many bytes as any driver reads.
        let result = unsafe { api::cuStreamSetAttribute(stream, id, (&raw const value).cast()) };
        DriverError::check("cuStreamSetAttribute", result, at)
    }
}
