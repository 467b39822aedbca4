//! Streams: work queued on one stream runs in order.
//!
//! A [`Stream`] is `cust`'s, shared by reference count so that a [`crate::DeviceBuffer`] can remember on which stream it was
//! last used (see `buffer.rs`, "Order between streams"). Source: CUDA programming guide, "Streams".

use std::panic::Location;
use std::sync::Arc;

use cust::event::{Event, EventFlags};
use cust::stream::{Stream as CustStream, StreamFlags, StreamWaitEventFlags};

use crate::DriverError;

/// A queue of work for the device. Clones are the same queue.
#[derive(Debug, Clone)]
pub struct Stream(Arc<CustStream>);

impl Stream {
    /// A new stream. It waits for the legacy default stream and the default stream for it, so that a plain copy (which runs
    /// on the default stream) sees what a kernel launched before it wrote.
    pub(crate) fn new(at: &'static Location<'static>) -> Result<Self, DriverError> {
        let stream = CustStream::new(StreamFlags::DEFAULT, None)
            .map_err(|error| DriverError::from_cust("cuStreamCreateWithPriority", error, at))?;
        Ok(Self(Arc::new(stream)))
    }

    /// Waits until everything queued so far has run.
    ///
    /// # Errors
    /// Among others, the fault of a kernel that ran on this stream: the report then says where it happened.
    #[track_caller]
    pub fn synchronize(&self) -> Result<(), DriverError> {
        let at = Location::caller();
        self.0
            .synchronize()
            .map_err(|error| DriverError::from_cust("cuStreamSynchronize", error, at))
    }

    /// Makes what is queued here from now on wait for what is queued on `earlier` by now.
    ///
    /// # Errors
    /// The driver's, where the event that joins the two cannot be made.
    #[track_caller]
    pub fn wait_for(&self, earlier: &Stream) -> Result<(), DriverError> {
        let at = Location::caller();
        let call = |name| move |error| DriverError::from_cust(name, error, at);
        let event = Event::new(EventFlags::DISABLE_TIMING).map_err(call("cuEventCreate"))?;
        event
            .record(earlier.cust())
            .map_err(call("cuEventRecord"))?;
        self.0
            .wait_event(event, StreamWaitEventFlags::DEFAULT)
            .map_err(call("cuStreamWaitEvent"))
    }

    /// The stream as `cust` has it, for what this crate does not wrap.
    pub fn cust(&self) -> &CustStream {
        &self.0
    }
}

impl PartialEq for Stream {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Stream {}
