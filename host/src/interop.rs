//! `cust`, for programs that use both crates on one device. No other module names it.
//!
//! The calls of both go to the same driver, `lanewise_driver`. Elements of buffers are
//! [`DeviceCopy`] in both, and devices, streams and events have the types of `cust`'s declarations
//! of the driver.

use std::ptr::with_exposed_provenance_mut;

pub use cust::memory::DeviceCopy;
use cust::sys;

use crate::{Device, Event, Stream};

impl Device {
    /// Returns the device as `cust`'s type, for calls that this crate does not wrap.
    ///
    /// ```
    /// let device = lanewise::Device::open()?;
    /// assert_eq!(device.cust().name()?, device.properties().name);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If `cust` does not find the device, which this crate has opened.
    pub fn cust(&self) -> cust::device::Device {
        let number = self.ordinal() as u32;
        cust::device::Device::get_device(number).expect("the device is open")
    }
}

impl Stream {
    /// Returns the driver's handle, for calls that this crate does not wrap. Null for
    /// the default stream.
    pub fn raw(&self) -> sys::CUstream {
        with_exposed_provenance_mut(self.handle().0)
    }
}

impl Event {
    /// Returns the driver's handle, for calls that this crate does not wrap.
    pub fn raw(&self) -> sys::CUevent {
        with_exposed_provenance_mut(self.handle().0)
    }
}
