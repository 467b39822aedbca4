//! A stream beside CubeCL's.
//!
//! CubeCL has streams of its own, and shows them to nobody. So an event is recorded behind the work
//! of the whole context, and the whole context waits for another one (both need CUDA 12.5).

use lanewise_cudarc::LaunchError;
use lanewise_cudarc::cudarc::driver::sys::{cuCtxRecordEvent, cuCtxWaitEvent};
use lanewise_cudarc::cudarc::driver::{CudaContext, CudaEvent, CudaStream, DriverError};
use std::error::Error;
use std::sync::Arc;

/// A stream in the device's primary context, which is CubeCL's, too.
pub struct Beside {
    stream: Arc<CudaStream>,
    before: CudaEvent,
    after: CudaEvent,
}

impl Beside {
    /// Makes the stream.
    pub fn new(device: usize) -> Result<Self, DriverError> {
        let context = CudaContext::new(device)?;
        Ok(Self {
            stream: context.new_stream()?,
            before: context.new_event(None)?,
            after: context.new_event(None)?,
        })
    }

    /// Returns the context of the stream.
    pub fn context(&self) -> &Arc<CudaContext> {
        self.stream.context()
    }

    /// Returns the stream.
    pub fn stream(&self) -> &Arc<CudaStream> {
        &self.stream
    }

    // ANCHOR: run
    /// Lets `work` submit work to the stream, which is done after all work that the context has,
    /// and before all that it gets later.
    pub fn run(
        &self,
        work: impl FnOnce(&Arc<CudaStream>) -> Result<(), LaunchError>,
    ) -> Result<(), Box<dyn Error>> {
        let context = self.context();
        context.bind_to_thread()?;
        // SAFETY: the event is of this context, and both exist.
        unsafe { cuCtxRecordEvent(context.cu_ctx(), self.before.cu_event()).result()? };
        self.stream.wait(&self.before)?;
        let done = work(&self.stream);
        self.after.record(&self.stream)?;
        // SAFETY: as above.
        unsafe { cuCtxWaitEvent(context.cu_ctx(), self.after.cu_event()).result()? };
        Ok(done?)
    }
    // ANCHOR_END: run
}
