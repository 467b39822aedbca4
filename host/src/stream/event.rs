//! Events: points in a stream that the host can wait for or ask about, that other streams can wait for, and between which time is measured.
//!
//! Source: CUDA driver API, "Event Management"; CUDA C++ Programming Guide, "Events"; CUDA study notes, sections 6.1.3 and 6.2.4.

use std::panic::Location;
use std::ptr::null_mut;
use std::sync::Arc;

use cust::sys::{self, CUevent};

use crate::{Device, DriverError, Elapsed, Stream};

/// A point in a stream, once it is recorded. Clones are the same event.
#[derive(Debug, Clone)]
pub struct Event(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    device: Device,
    handle: CUevent,
}

// SAFETY: an event's handle may be used from any thread ("API thread safety", CUDA driver API).
unsafe impl Send for Inner {}
// SAFETY: as above.
unsafe impl Sync for Inner {}

/// How an event is made: until something else is said it keeps its time, and who waits for it spins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EventOptions {
    flags: u32,
}

impl EventOptions {
    /// An event that keeps its time.
    pub fn new() -> Self {
        Self::default()
    }

    /// One that keeps no time, which is cheaper to record and to wait for; [`Event::since`] refuses it.
    pub fn without_time(self) -> Self {
        Self {
            flags: self.flags | sys::CUevent_flags::CU_EVENT_DISABLE_TIMING as u32,
        }
    }

    /// One that another process may open: see [`Event::ipc_handle`]. It keeps no time.
    pub fn interprocess(self) -> Self {
        let flag = sys::CUevent_flags::CU_EVENT_INTERPROCESS as u32;
        Self {
            flags: self.without_time().flags | flag,
        }
    }

    /// One for which the host sleeps when it waits, where it would otherwise ask again and again.
    pub fn blocking_wait(self) -> Self {
        Self {
            flags: self.flags | sys::CUevent_flags::CU_EVENT_BLOCKING_SYNC as u32,
        }
    }
}

impl Device {
    /// A new event, recorded nowhere.
    ///
    /// # Errors
    /// The driver's answer; after a kernel's fault every call on its context answers with that fault.
    #[track_caller]
    pub fn event(&self) -> Result<Event, DriverError> {
        self.event_with(EventOptions::new())
    }

    /// A new event of this kind.
    ///
    /// # Errors
    /// The driver's answer; after a kernel's fault every call on its context answers with that fault.
    #[track_caller]
    pub fn event_with(&self, options: EventOptions) -> Result<Event, DriverError> {
        let at = Location::caller();
        self.make_current(at)?;
        let mut handle = null_mut();
        // SAFETY: the result has a place.
        let result = unsafe { sys::cuEventCreate(&mut handle, options.flags) };
        DriverError::check("cuEventCreate", result, at)?;
        Ok(Event(Arc::new(Inner {
            device: self.clone(),
            handle,
        })))
    }
}

impl Event {
    /// An event that the driver has made otherwise.
    ///
    /// # Safety
    /// The handle is live, of this device, and nobody else destroys it.
    pub(crate) unsafe fn from_raw(device: &Device, handle: CUevent) -> Self {
        Self(Arc::new(Inner {
            device: device.clone(),
            handle,
        }))
    }

    /// Makes it the point in `stream` at which everything queued so far has run. What it was before is forgotten.
    ///
    /// # Errors
    /// The driver's: `CUDA_ERROR_INVALID_HANDLE` for a stream of another device.
    #[track_caller]
    pub fn record(&self, stream: &Stream) -> Result<(), DriverError> {
        let at = Location::caller();
        stream.device().make_current(at)?;
        // SAFETY: both are live.
        let result = unsafe { sys::cuEventRecord(self.raw(), stream.raw()) };
        DriverError::check("cuEventRecord", result, at)
    }

    /// Waits until it has happened. One that is recorded nowhere has.
    ///
    /// # Errors
    /// Among others, the fault of a kernel that ran before.
    #[track_caller]
    pub fn synchronize(&self) -> Result<(), DriverError> {
        let at = self.make_current(Location::caller())?;
        // SAFETY: the event is live.
        let result = unsafe { sys::cuEventSynchronize(self.raw()) };
        DriverError::check("cuEventSynchronize", result, at)
    }

    /// Whether it has happened, without waiting.
    ///
    /// # Errors
    /// What [`Self::synchronize`] fails with.
    #[track_caller]
    pub fn is_done(&self) -> Result<bool, DriverError> {
        let at = self.make_current(Location::caller())?;
        // SAFETY: the event is live.
        match unsafe { sys::cuEventQuery(self.raw()) } {
            sys::CUresult::CUDA_ERROR_NOT_READY => Ok(false),
            result => DriverError::check("cuEventQuery", result, at).map(|()| true),
        }
    }

    /// The device's time from `start` to here: measured on a GPU, modelled on the simulator.
    ///
    /// # Errors
    /// `CUDA_ERROR_NOT_READY` before both have happened; `CUDA_ERROR_INVALID_HANDLE` where one keeps no time, is recorded nowhere, or
    /// both are not of one device.
    #[track_caller]
    pub fn since(&self, start: &Event) -> Result<Elapsed, DriverError> {
        let at = self.make_current(Location::caller())?;
        let mut milliseconds = 0.0;
        // SAFETY: the result has a place, and both are live.
        let result = unsafe { sys::cuEventElapsedTime(&mut milliseconds, start.raw(), self.raw()) };
        DriverError::check("cuEventElapsedTime", result, at)?;
        Ok(Elapsed::from_seconds(f64::from(milliseconds) * 1e-3))
    }

    /// The device it is of.
    pub fn device(&self) -> &Device {
        &self.0.device
    }

    /// The driver's handle, for what this crate does not wrap.
    pub fn raw(&self) -> CUevent {
        self.0.handle
    }

    fn make_current(
        &self,
        at: &'static Location<'static>,
    ) -> Result<&'static Location<'static>, DriverError> {
        self.device().make_current(at).map(|()| at)
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        // SAFETY: made by this value and destroyed once; who waits for what it recorded goes on waiting. There is nobody to report to.
        let _ = unsafe { sys::cuEventDestroy_v2(self.handle) };
    }
}
