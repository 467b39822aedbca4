//! What stays in the L2 cache: a part of it set aside, and windows over memory whose accesses may
//! use that part.
//!
//! From compute capability 8.0. Three steps: [`Device::set_aside_l2`], then
//! [`Stream::set_l2_window`] for the kernels that follow on a stream, and when they are done
//! [`Stream::clear_l2_window`] and [`Device::reset_persisting_l2`], as lines stay set aside until
//! then.
//! Source: CUDA C++ Programming Guide, "Device Memory L2 Access Management"; programming model
//! notes, the same.

use std::panic::Location;
use std::ptr::null_mut;

use cust::memory::DeviceCopy;
use cust::sys::{self, CUaccessPolicyWindow, CUaccessProperty, CUstreamAttrID, CUstreamAttrValue};

use crate::{Device, DeviceBuffer, DriverError, Stream};

/// A window over device memory: where it is, how large, and which share of it may stay.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct L2Window {
    /// The first byte's address.
    pub address: u64,
    /// How many bytes; 0 for no window.
    pub bytes: usize,
    /// The share of accesses in the window that persist, from 0 to 1; the hardware picks them.
    /// Below 1 where the window is larger than what is set aside, so that its lines do not push
    /// each other out.
    pub hit_ratio: f32,
}

/// What the driver reads and writes: CUDA 12 made the union 64 bytes, which the bindings are older
/// than.
#[repr(C)]
struct Attribute {
    value: CUstreamAttrValue,
    rest: [u8; 64],
}

impl Attribute {
    fn of(window: CUaccessPolicyWindow) -> Self {
        Self {
            value: CUstreamAttrValue {
                accessPolicyWindow: window,
            },
            rest: [0; 64],
        }
    }
}

const NO_WINDOW: CUaccessPolicyWindow = CUaccessPolicyWindow {
    base_ptr: null_mut(),
    num_bytes: 0,
    hitRatio: 0.0,
    hitProp: CUaccessProperty::CU_ACCESS_PROPERTY_NORMAL,
    missProp: CUaccessProperty::CU_ACCESS_PROPERTY_NORMAL,
};

impl Device {
    /// Returns the most bytes of L2 that can be set aside; 0 before compute capability 8.0.
    ///
    /// # Errors
    /// The driver's error. After a fault in a kernel, every call on its context returns that error.
    #[track_caller]
    pub fn max_persisting_l2(&self) -> Result<usize, DriverError> {
        let attribute = sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE;
        self.l2_attribute(attribute, Location::caller())
    }

    /// Returns the most bytes that a window can have.
    ///
    /// # Errors
    /// The driver's error. After a fault in a kernel, every call on its context returns that error.
    #[track_caller]
    pub fn max_l2_window(&self) -> Result<usize, DriverError> {
        let attribute = sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE;
        self.l2_attribute(attribute, Location::caller())
    }

    fn l2_attribute(
        &self,
        attribute: sys::CUdevice_attribute,
        at: &'static Location<'static>,
    ) -> Result<usize, DriverError> {
        let mut value = 0;
        // SAFETY: the result has a place.
        let result =
            unsafe { sys::cuDeviceGetAttribute(&mut value, attribute, self.cust().as_raw()) };
        DriverError::check("cuDeviceGetAttribute", result, at)?;
        Ok(usize::try_from(value).unwrap_or(0))
    }

    /// Sets a part of L2 aside for accesses in windows, and says how much: the driver rounds, and
    /// grants no more than [`Device::max_persisting_l2`].
    ///
    /// # Errors
    /// The driver's error; where nothing can be set aside, it refuses.
    #[track_caller]
    pub fn set_aside_l2(&self, bytes: usize) -> Result<usize, DriverError> {
        let at = Location::caller();
        self.make_current(at)?;
        let limit = sys::CUlimit::CU_LIMIT_PERSISTING_L2_CACHE_SIZE;
        // SAFETY: a limit of the current context, by value.
        let result = unsafe { sys::cuCtxSetLimit(limit, bytes) };
        DriverError::check("cuCtxSetLimit", result, at)?;
        let mut granted = 0;
        // SAFETY: the result has a place.
        let result = unsafe { sys::cuCtxGetLimit(&mut granted, limit) };
        DriverError::check("cuCtxGetLimit", result, at)?;
        Ok(granted)
    }

    /// Makes every line of L2 an ordinary one again.
    ///
    /// # Errors
    /// The driver's error. After a fault in a kernel, every call on its context returns that error.
    #[track_caller]
    pub fn reset_persisting_l2(&self) -> Result<(), DriverError> {
        let at = Location::caller();
        self.make_current(at)?;
        // SAFETY: works on the current context.
        let result = unsafe { sys::cuCtxResetPersistingL2Cache() };
        DriverError::check("cuCtxResetPersistingL2Cache", result, at)
    }
}

impl Stream {
    /// Has accesses to `buffer` by kernels launched on this stream from now on stay in L2, a share
    /// of `hit_ratio` of them (from 0 to 1; what is less, or no number, counts as 0, and what is
    /// more as 1). A buffer longer than [`Device::max_l2_window`] gets a window over its start.
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
            hitRatio: hit_ratio,
            hitProp: CUaccessProperty::CU_ACCESS_PROPERTY_PERSISTING,
            missProp: CUaccessProperty::CU_ACCESS_PROPERTY_STREAMING,
        };
        self.set_window(window, at)
    }

    /// Ends the window: kernels launched on this stream from now on use L2 as any others do.
    ///
    /// # Errors
    /// The driver's error. After a fault in a kernel, every call on its context returns that error.
    #[track_caller]
    pub fn clear_l2_window(&self) -> Result<(), DriverError> {
        self.set_window(NO_WINDOW, Location::caller())
    }

    /// Returns the window that is set.
    ///
    /// # Errors
    /// The driver's error. After a fault in a kernel, every call on its context returns that error.
    #[track_caller]
    pub fn l2_window(&self) -> Result<L2Window, DriverError> {
        let at = Location::caller();
        let mut found = Attribute::of(NO_WINDOW);
        let id = CUstreamAttrID::CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW;
        let stream = self.raw();
        // SAFETY: the result has room for the 64 bytes of today's drivers.
        let result = unsafe { sys::cuStreamGetAttribute(stream, id, (&raw mut found).cast()) };
        DriverError::check("cuStreamGetAttribute", result, at)?;
        // SAFETY: the driver has written this member of the union, or it is the one from above.
        let window = unsafe { found.value.accessPolicyWindow };
        Ok(L2Window {
            address: window.base_ptr.addr() as u64,
            bytes: window.num_bytes,
            hit_ratio: window.hitRatio,
        })
    }

    fn set_window(
        &self,
        window: CUaccessPolicyWindow,
        at: &'static Location<'static>,
    ) -> Result<(), DriverError> {
        let value = Attribute::of(window);
        let id = CUstreamAttrID::CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW;
        let stream = self.raw();
        // SAFETY: the value is as long as any driver reads.
        let result = unsafe { sys::cuStreamSetAttribute(stream, id, (&raw const value).cast()) };
        DriverError::check("cuStreamSetAttribute", result, at)
    }
}
