//! An event behind all work that is queued on a device, on every stream.
//!
//! `cuCtxSynchronize` waits for the same work, but no stream may be captured meanwhile. A wait for
//! an event allows captures.
//!
//! Source: CUDA driver API, `cuCtxRecordEvent`, of CUDA 12.5 and newer.

use std::panic::Location;
use std::sync::Arc;

use lanewise_driver::abi::CUevent;
use lanewise_driver::abi::enums::event_flags;
use lanewise_driver::api;

use super::Device;
use crate::DriverError;

/// Whether the driver can record such an event.
pub(super) fn can_be_recorded() -> bool {
    let mut version = 0;
    // SAFETY: the result has a place, which stays 0 if the call fails.
    let _ = unsafe { api::cuDriverGetVersion(&mut version) };
    version >= 12050
}

/// All work that was queued on the device when this was made. Clones are the same.
#[derive(Debug, Clone)]
pub(super) struct AllQueued(Arc<Marker>);

/// The event. It is destroyed with the last clone.
#[derive(Debug)]
struct Marker {
    device: Device,
    event: CUevent,
}

impl AllQueued {
    /// Records the event behind all work that is queued by now. No thread may be recording a graph.
    pub(super) fn record(
        device: &Device,
        at: &'static Location<'static>,
    ) -> Result<Self, DriverError> {
        device.make_current(at)?;
        let mut event = CUevent::default();
        let flags = event_flags::DISABLE_TIMING;
        // SAFETY: the result has a place.
        let result = unsafe { api::cuEventCreate(&mut event, flags) };
        DriverError::check("cuEventCreate", result, at)?;
        let device = device.clone();
        let marker = Marker { device, event };
        // SAFETY: both are live.
        let result = unsafe { api::cuCtxRecordEvent(marker.device.context(), event) };
        DriverError::check("cuCtxRecordEvent", result, at)?;
        Ok(Self(Arc::new(marker)))
    }

    /// Waits until that work is done.
    pub(super) fn wait(&self, at: &'static Location<'static>) -> Result<(), DriverError> {
        self.0.device.make_current(at)?;
        // SAFETY: the event is live.
        let result = unsafe { api::cuEventSynchronize(self.0.event) };
        DriverError::check("cuEventSynchronize", result, at)
    }
}

impl Drop for Marker {
    fn drop(&mut self) {
        if self.device.make_current(Location::caller()).is_ok() {
            // SAFETY: the event is this marker's own, and no call uses it any more.
            let _ = unsafe { api::cuEventDestroy_v2(self.event) };
        }
    }
}
