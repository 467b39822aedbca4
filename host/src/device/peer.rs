//! Peer access: kernels of one device access the memory of another.
//!
//! Copies between devices ([`crate::Stream::copy`]) need no peer access: without it the driver
//! copies through the host's memory. A kernel that is passed a buffer of another device needs it,
//! and a launch without it is refused.
//! Source: CUDA driver API, "Peer Context Memory Access"; CUDA C++ Programming Guide, "Multi-Device
//! System"; Professional CUDA C Programming, chapter 9.

use std::panic::Location;

use lanewise_driver::abi::CUresult;
use lanewise_driver::api;

use crate::{Device, DriverError};

impl Device {
    /// Returns whether this device can access the other's memory, by NVLink or over the bus. The
    /// result is `false` for a device and itself.
    ///
    /// # Errors
    /// The driver's error. After a fault in a kernel, every call on its context returns that error.
    #[track_caller]
    pub fn can_reach(&self, other: &Device) -> Result<bool, DriverError> {
        let at = Location::caller();
        let mut can = 0;
        let (own, other) = (self.number(), other.number());
        // SAFETY: the result is written to a local variable, and both handles are devices.
        let result = unsafe { api::cuDeviceCanAccessPeer(&mut can, own, other) };
        DriverError::check("cuDeviceCanAccessPeer", result, at)?;
        Ok(can != 0)
    }

    /// Allows this device's kernels to access the other's memory, from now on until the process
    /// ends. If the access is already enabled, this does nothing.
    ///
    /// # Errors
    /// `CUDA_ERROR_PEER_ACCESS_UNSUPPORTED` if [`Device::can_reach`] returns `false`.
    #[track_caller]
    pub fn enable_peer(&self, other: &Device) -> Result<(), DriverError> {
        let at = Location::caller();
        let mut peers = self.peers();
        if self == other || peers.contains(&other.ordinal()) {
            return Ok(());
        }
        self.make_current(at)?;
        // SAFETY: this device's context is current, and the other context lives as long
        // as the process.
        let result = unsafe { api::cuCtxEnablePeerAccess(other.context(), 0) };
        // Other code in the process may have enabled it.
        if result != CUresult::ERROR_PEER_ACCESS_ALREADY_ENABLED {
            DriverError::check("cuCtxEnablePeerAccess", result, at)?;
        }
        peers.push(other.ordinal());
        Ok(())
    }

    /// Checks that this device's kernels may be passed a `what` of `owner`. It is not memory, so
    /// only kernels of its own device may use it.
    #[track_caller]
    pub(crate) fn must_be(&self, owner: &Device, what: &str) -> Result<(), DriverError> {
        if self == owner {
            return Ok(());
        }
        let refused = CUresult::ERROR_INVALID_HANDLE;
        let (own, other) = (self.ordinal(), owner.ordinal());
        DriverError::check("cuLaunchKernel", refused, Location::caller()).map_err(|error| {
            error.with_report(format!(
                "the {what} is of device {other}, and the kernel would run on device {own}: make one there"
            ))
        })
    }

    /// Checks that this device's kernels may be passed memory of `owner`.
    #[track_caller]
    #[inline]
    pub(crate) fn must_reach(&self, owner: &Device) -> Result<(), DriverError> {
        if self == owner {
            return Ok(());
        }
        self.must_reach_other(owner)
    }

    #[track_caller]
    fn must_reach_other(&self, owner: &Device) -> Result<(), DriverError> {
        if self.peers().contains(&owner.ordinal()) {
            return Ok(());
        }
        let refused = CUresult::ERROR_PEER_ACCESS_NOT_ENABLED;
        let (own, other) = (self.ordinal(), owner.ordinal());
        DriverError::check("cuLaunchKernel", refused, Location::caller()).map_err(|error| {
            error.with_report(format!(
                "the buffer is on device {other}, and the kernel would run on device {own}: call `Device::enable_peer` first, or copy the \
                 buffer by `Stream::copy`"
            ))
        })
    }
}
