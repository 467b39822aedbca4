//! Recording: a stream is captured, and what is queued on it becomes a graph.
//!
//! Source: CUDA C++ Programming Guide, "Creating a Graph Using Stream Capture".

use std::marker::PhantomData;
use std::panic::Location;

use bytemuck::Zeroable;
use lanewise_driver::abi::CUgraph;
use lanewise_driver::abi::enums::capture_mode;
use lanewise_driver::api;
use lanewise_std::kernel::{Kernel, SafeKernel};

use super::error::GraphError;
use super::template::Handle;
use super::uses::{RecordableAll, Used, once_each};
use crate::launch::{CheckedLaunch, submit};
use crate::stream::order::Access;
use crate::{
    Arguments, Device, DeviceBuffer, DeviceCopy, DriverError, LaunchConfig, LaunchError,
    MemoryError, Stream, StreamOptions,
};

/// Records the work of one graph.
///
/// Its lifetime ties it to that graph. Two of them can't be swapped, because each must note the
/// buffers of its own graph:
/// ```compile_fail
/// # use lanewise::{Device, GraphError};
/// # fn f(device: Device) -> Result<(), GraphError> {
/// device.record(|one| {
///     device.record(|other| Ok(std::mem::swap(one, other)))?;
///     Ok(())
/// })?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Record<'graph> {
    stream: Stream,
    uses: Vec<Used>,
    // Invariant, so that no other graph's lifetime fits.
    graph: PhantomData<fn(&'graph ()) -> &'graph ()>,
}

impl Record<'_> {
    /// Records a launch of the kernel, after what was recorded before it.
    ///
    /// # Errors
    /// As [`Stream::launch`]; [`GraphError::NotWhole`].
    #[track_caller]
    pub fn launch<K: SafeKernel, A: Arguments<K::Params> + RecordableAll>(
        &mut self,
        kernel: K,
        config: LaunchConfig,
        arguments: A,
    ) -> Result<(), GraphError> {
        // SAFETY: a `SafeKernel` has no conditions that its caller must meet.
        unsafe { self.launch_unchecked(kernel, config, arguments) }
    }

    /// Records a launch of a kernel that is unsafe to launch.
    ///
    /// # Errors
    /// As [`Self::launch`].
    ///
    /// # Safety
    /// The conditions of the kernel's `# Safety` section hold whenever the graph is launched.
    #[track_caller]
    pub unsafe fn launch_unchecked<K: Kernel, A: Arguments<K::Params> + RecordableAll>(
        &mut self,
        _kernel: K,
        config: LaunchConfig,
        arguments: A,
    ) -> Result<(), GraphError> {
        let at = Location::caller();
        let kernel = self
            .stream
            .device()
            .kernel::<K>()
            .map_err(LaunchError::from)?;
        let stream = &self.stream;
        let mut place = |ready: CheckedLaunch<'_>| {
            // Memory that can't be tracked must not get into the graph, even if `work` ignores
            // the error below.
            if ready.uses.iter().any(Option::is_none) {
                return Ok(());
            }
            // SAFETY: the caller promises the kernel's conditions, and each launch of the graph
            // keeps order with the buffers' other uses.
            unsafe { submit(ready, stream, at) }
        };
        // SAFETY: as above.
        let uses =
            unsafe { kernel.place_launch::<K, A>(stream, None, config, arguments, &mut place) }?;
        self.add(uses)
    }

    /// Records a copy from one buffer of the device to another.
    ///
    /// # Errors
    /// [`MemoryError::LengthMismatch`]; [`GraphError::NotWhole`]; the driver's error.
    #[track_caller]
    pub fn copy<T: DeviceCopy>(
        &mut self,
        from: &DeviceBuffer<T>,
        to: &mut DeviceBuffer<T>,
    ) -> Result<(), GraphError> {
        let at = Location::caller();
        if from.len() != to.len() {
            let (buffer, host) = (to.len(), from.len());
            return Err(MemoryError::LengthMismatch { buffer, host, at }.into());
        }
        self.add([
            from.recorded(&self.stream, Access::Read, None),
            to.recorded(&self.stream, Access::Write, None),
        ])?;
        let bytes = from.len() * size_of::<T>();
        if bytes > 0 {
            let stream = self.stream.handle();
            // SAFETY: both buffers have this many bytes, and the graph is not launched after one of
            // them was dropped.
            let result =
                unsafe { api::cuMemcpyDtoDAsync_v2(to.address(), from.address(), bytes, stream) };
            DriverError::check("cuMemcpyDtoDAsync", result, at)?;
        }
        Ok(())
    }

    /// Records setting every byte of a buffer to zero.
    ///
    /// # Errors
    /// [`GraphError::NotWhole`]; the driver's error.
    #[track_caller]
    pub fn fill_zero<T: DeviceCopy + Zeroable>(
        &mut self,
        buffer: &mut DeviceBuffer<T>,
    ) -> Result<(), GraphError> {
        self.add([buffer.recorded(&self.stream, Access::Write, None)])?;
        let bytes = buffer.len() * size_of::<T>();
        if bytes > 0 {
            // SAFETY: the buffer has this many bytes, and a `Zeroable` type may be all zeroes. The
            // graph is not launched after the buffer was dropped.
            let result =
                unsafe { api::cuMemsetD8Async(buffer.address(), 0, bytes, self.stream.handle()) };
            DriverError::check("cuMemsetD8Async", result, Location::caller())?;
        }
        Ok(())
    }

    /// Notes the uses of a node. A node with memory that can't be tracked is not in the graph
    /// and notes nothing.
    fn add(&mut self, uses: impl IntoIterator<Item = Option<Used>>) -> Result<(), GraphError> {
        let uses: Option<Vec<Used>> = uses.into_iter().collect();
        self.uses.extend(uses.ok_or(GraphError::NotWhole)?);
        Ok(())
    }
}

/// A recorded graph that is not executable yet.
pub(super) struct Recorded {
    pub(super) graph: Handle,
    /// The buffers that it uses, each once.
    pub(super) uses: Vec<Used>,
}

impl Recorded {
    /// Records `work` by capturing a new stream.
    pub(super) fn of(
        device: &Device,
        work: impl for<'graph> FnOnce(&mut Record<'graph>) -> Result<(), GraphError>,
        at: &'static Location<'static>,
    ) -> Result<Self, GraphError> {
        let stream = device.stream_with(StreamOptions::new().non_blocking())?;
        let _recording = device.gate().record();
        // Other threads are not affected, nor are this thread's other streams.
        let mode = capture_mode::RELAXED;
        // SAFETY: the stream is live.
        let result = unsafe { api::cuStreamBeginCapture_v2(stream.handle(), mode) };
        DriverError::check("cuStreamBeginCapture", result, at)?;
        let mut ending = Capture {
            stream: &stream,
            open: true,
        };
        let mut record = Record {
            stream: stream.clone(),
            uses: Vec::new(),
            graph: PhantomData,
        };
        let done = work(&mut record);
        let graph = ending.end(at);
        done?;
        Ok(Self {
            graph: graph?,
            uses: once_each(record.uses),
        })
    }
}

/// A capture that has begun. Dropping it ends the capture, so that a panic during the capture
/// leaves neither a capturing stream nor a graph.
struct Capture<'a> {
    stream: &'a Stream,
    open: bool,
}

impl Capture<'_> {
    fn end(&mut self, at: &'static Location<'static>) -> Result<Handle, DriverError> {
        self.open = false;
        self.stream.device().make_current(at)?;
        let mut graph = CUgraph::default();
        // SAFETY: the stream is live, and the result is written to a local variable.
        let result = unsafe { api::cuStreamEndCapture(self.stream.handle(), &mut graph) };
        // The graph is dropped with this, also if the call failed.
        let graph = Handle::new(graph);
        DriverError::check("cuStreamEndCapture", result, at).map(|()| graph)
    }
}

impl Drop for Capture<'_> {
    fn drop(&mut self) {
        if self.open {
            let _ = self.end(Location::caller());
        }
    }
}
