//! Events: points in a stream. The host and other streams can wait for them, and the time between
//! two of them is measured.
//!
//! Source: CUDA driver API, "Event Management"; CUDA C++ Programming Guide, "Events"; Professional
//! CUDA C Programming, chapter 6.

use std::panic::Location;
use std::sync::Arc;
use std::time::Duration;

use lanewise_driver::abi::enums::event_flags;
use lanewise_driver::abi::{CUevent, CUresult};
use lanewise_driver::api;

use crate::{Device, DriverError, Stream, late};

/// A point in a stream, once it is recorded. A clone is a handle of the same event.
#[derive(Debug, Clone)]
pub struct Event(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    device: Device,
    handle: CUevent,
}

/// Options for a new event. By default the event records its time, and a waiting host thread spins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EventOptions {
    flags: u32,
}

impl EventOptions {
    /// Returns the defaults: the event records its time, and a waiting host thread spins.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes the event record no time. It is then cheaper to record and to wait for, but
    /// [`Event::since`] refuses it.
    pub fn without_time(self) -> Self {
        Self {
            flags: self.flags | event_flags::DISABLE_TIMING,
        }
    }

    /// Lets other processes open the event: see [`Event::ipc_handle`]. The event records no time.
    pub fn interprocess(self) -> Self {
        let flag = event_flags::INTERPROCESS;
        Self {
            flags: self.without_time().flags | flag,
        }
    }

    /// Makes a host thread that waits for the event sleep instead of polling.
    pub fn blocking_wait(self) -> Self {
        Self {
            flags: self.flags | event_flags::BLOCKING_SYNC,
        }
    }
}

impl Device {
    /// Makes an event that is not yet recorded.
    ///
    /// # Errors
    /// The driver's error. After a fault in a kernel, every call on its context returns that error.
    #[track_caller]
    pub fn event(&self) -> Result<Event, DriverError> {
        self.event_with(EventOptions::new())
    }

    /// Makes an event with these options that is not yet recorded.
    ///
    /// # Errors
    /// The driver's error. After a fault in a kernel, every call on its context returns that error.
    #[track_caller]
    pub fn event_with(&self, options: EventOptions) -> Result<Event, DriverError> {
        let at = Location::caller();
        self.make_current(at)?;
        let mut handle = CUevent::default();
        // SAFETY: the result is written to a local variable.
        let result = unsafe { api::cuEventCreate(&mut handle, options.flags) };
        DriverError::check("cuEventCreate", result, at)?;
        Ok(Event(Arc::new(Inner {
            device: self.clone(),
            handle,
        })))
    }
}

impl Event {
    /// Takes ownership of a handle from the driver.
    ///
    /// # Safety
    /// The handle is live and of this device, and nothing else destroys it.
    pub(crate) unsafe fn from_raw(device: &Device, handle: CUevent) -> Self {
        Self(Arc::new(Inner {
            device: device.clone(),
            handle,
        }))
    }

    /// Records the event in `stream`: it occurs when everything queued there so far has run. An
    /// earlier record is forgotten.
    ///
    /// # Errors
    /// The driver's error: `CUDA_ERROR_INVALID_HANDLE` for a stream of another device.
    #[track_caller]
    pub fn record(&self, stream: &Stream) -> Result<(), DriverError> {
        let at = Location::caller();
        stream.device().make_current(at)?;
        // SAFETY: both handles are live.
        let result = unsafe { api::cuEventRecord(self.handle(), stream.handle()) };
        DriverError::check("cuEventRecord", result, at)
    }

    /// Waits until the event has occurred. Returns at once if it was never recorded.
    ///
    /// # Errors
    /// The driver's error, for example the fault of a kernel that ran before.
    #[track_caller]
    pub fn synchronize(&self) -> Result<(), DriverError> {
        let at = self.make_current(Location::caller())?;
        // SAFETY: the event is live.
        let result = unsafe { api::cuEventSynchronize(self.handle()) };
        DriverError::check("cuEventSynchronize", result, at)
    }

    /// Returns whether the event has occurred, without waiting.
    ///
    /// # Errors
    /// As [`Self::synchronize`].
    #[track_caller]
    pub fn is_done(&self) -> Result<bool, DriverError> {
        let at = self.make_current(Location::caller())?;
        // SAFETY: the event is live.
        match unsafe { api::cuEventQuery(self.handle()) } {
            CUresult::ERROR_NOT_READY => Ok(false),
            result => DriverError::check("cuEventQuery", result, at).map(|()| true),
        }
    }

    /// Returns the time on the device from `start` to this event. It is measured on a GPU and
    /// modelled on the simulator. It is zero if `start` is the later of the two.
    ///
    /// # Errors
    /// `CUDA_ERROR_NOT_READY` if one of the events has not occurred yet.
    /// `CUDA_ERROR_INVALID_HANDLE` if one of them records no time or was never recorded, or if they
    /// are of different devices.
    #[track_caller]
    pub fn since(&self, start: &Event) -> Result<Duration, DriverError> {
        let at = self.make_current(Location::caller())?;
        let mut milliseconds = 0.0;
        // SAFETY: the result is written to a local variable, and both handles are live.
        let result =
            unsafe { api::cuEventElapsedTime(&mut milliseconds, start.handle(), self.handle()) };
        DriverError::check("cuEventElapsedTime", result, at)?;
        let seconds = f64::from(milliseconds.max(0.0)) * 1e-3;
        Ok(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX))
    }

    /// Returns the event's device.
    pub fn device(&self) -> &Device {
        &self.0.device
    }

    /// Returns the driver's handle.
    pub(crate) fn handle(&self) -> CUevent {
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
        late::end(Destroyed(self.handle));
    }
}

/// The handle of an event whose last owner was dropped.
struct Destroyed(CUevent);

impl Drop for Destroyed {
    fn drop(&mut self) {
        // SAFETY: `Inner` made the handle, and it is destroyed once. A stream that waits for its
        // record continues to wait. A drop cannot report errors.
        let _ = unsafe { api::cuEventDestroy_v2(self.0) };
    }
}
