//! Graphs: work that is recorded once and launched as often as wanted, for the price of one launch.
//!
//! [`Device::record`] takes down launches, copies and memsets instead of queueing them; each comes after the one before. [`Graph::launch`] queues
//! them all. A launch of many small kernels then costs the host what one costs.
//!
//! ```
//! use kernels::vec_add;
//! use lanewise::{Device, DeviceBuffer, LaunchConfig};
//!
//! let device = Device::open()?;
//! let stream = device.stream()?;
//! let one = DeviceBuffer::from_slice(&device, &[1.0f32; 100])?;
//! let (mut sum, mut next) = (DeviceBuffer::zeroed(&device, 100)?, DeviceBuffer::zeroed(&device, 100)?);
//!
//! let graph = device.record(|record| {
//!     record.launch(vec_add, LaunchConfig::for_num_elems(100), (&sum, &one, &mut next))?;
//!     record.copy(&next, &mut sum)
//! })?;
//! for _ in 0..5 {
//!     graph.launch(&stream)?;
//! }
//! assert_eq!(sum.to_vec()?, [5.0; 100]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A graph knows the addresses of the buffers that it was recorded with. It does not borrow them, since a program wants to read and write them
//! between its launches; instead each launch takes its turn with the other uses of each buffer, as a kernel's launch does, and a launch after one
//! of them was dropped is refused: [`GraphError::BufferIsGone`]. What it can't watch over can't be recorded: parts and views of buffers, managed
//! and mapped memory, textures.
//!
//! Source: CUDA C++ Programming Guide, "CUDA Graphs"; CUDA driver API, "Graph Management".

use std::panic::Location;
use std::ptr::null_mut;

use bytemuck::Zeroable;
use cust::memory::DeviceCopy;
use cust::sys::{self, CUgraph, CUgraphExec, CUstreamCaptureMode};
use lanewise_std::kernel::{Kernel, SafeKernel};

use crate::order::{Access, Held, Hold, Marked, Order};
use crate::{
    Arguments, Device, DeviceBuffer, DriverError, LaunchConfig, LaunchError, MemoryError, Stream,
    StreamOptions,
};

/// Why a graph could not be recorded, launched or changed.
#[derive(Debug, thiserror::Error)]
pub enum GraphError {
    /// A launch in it can't be.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// A copy in it can't be.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// Something was to be recorded that a graph can't watch over.
    #[error(
        "a graph is recorded with whole device buffers: a part, a view, pitched, managed or mapped memory may be gone when it is launched"
    )]
    NotWhole,
    /// A buffer that it was recorded with was dropped.
    #[error(
        "the graph launched at {at} was recorded with a buffer that has been dropped since: record it again"
    )]
    BufferIsGone {
        /// The caller's line.
        at: &'static Location<'static>,
    },
    /// The graph and the stream are not of one device.
    #[error(
        "the graph is of device {graph}, and was launched at {at} on a stream of device {stream}"
    )]
    OtherDevice {
        /// The graph's device.
        graph: usize,
        /// The number of the stream's device.
        stream: usize,
        /// The caller's line.
        at: &'static Location<'static>,
    },
    /// The driver refused.
    #[error("the driver refused to work with the graph")]
    Driver(#[from] DriverError),
}

/// A host value that a launch in a graph may be passed: a device buffer or a plain value.
///
/// # Safety
/// All memory that it leads to is that of device buffers that it passes on.
pub unsafe trait Recordable {}
// SAFETY: a buffer.
unsafe impl<T: DeviceCopy> Recordable for &DeviceBuffer<T> {}
// SAFETY: a buffer.
unsafe impl<T: DeviceCopy> Recordable for &mut DeviceBuffer<T> {}
// SAFETY: a value that leads nowhere, or to where an `unsafe` kernel's caller answers for.
unsafe impl<T: DeviceCopy> Recordable for T {}

/// A tuple of them.
///
/// # Safety
/// Each is one.
#[diagnostic::on_unimplemented(
    message = "a launch in a graph can't be passed all of these",
    note = "a graph takes device buffers and plain values; what else leads to memory may be gone when it is launched"
)]
pub unsafe trait RecordableAll {}

macro_rules! tuples {
    ($($name:ident),*) => {
        // SAFETY: each is.
        unsafe impl<$($name: Recordable),*> RecordableAll for ($($name,)*) {}
    };
}
tuples!();
tuples!(A);
tuples!(A, B);
tuples!(A, B, C);
tuples!(A, B, C, D);
tuples!(A, B, C, D, E);
tuples!(A, B, C, D, E, F);
tuples!(A, B, C, D, E, F, G);
tuples!(A, B, C, D, E, F, G, H);
tuples!(A, B, C, D, E, F, G, H, I);
tuples!(A, B, C, D, E, F, G, H, I, J);
tuples!(A, B, C, D, E, F, G, H, I, J, K);
tuples!(A, B, C, D, E, F, G, H, I, J, K, L);

/// A buffer that a graph uses, and what for.
type Used = (Order<Stream>, Access);

/// What takes down the work.
#[derive(Debug)]
pub struct Record {
    stream: Stream,
    uses: Vec<Used>,
}

impl Record {
    /// Records a launch.
    ///
    /// # Errors
    /// As [`Device::launch`]; [`GraphError::NotWhole`].
    #[track_caller]
    pub fn launch<K: SafeKernel, A: Arguments<K::Params> + RecordableAll>(
        &mut self,
        kernel: K,
        config: LaunchConfig,
        arguments: A,
    ) -> Result<(), GraphError> {
        // SAFETY: a `SafeKernel` asks nothing of its caller.
        unsafe { self.launch_unchecked(kernel, config, arguments) }
    }

    /// Records a launch of a kernel that asks something of its caller.
    ///
    /// # Errors
    /// What [`Self::launch`] fails with.
    ///
    /// # Safety
    /// What the kernel's `# Safety` section says holds whenever the graph is launched.
    #[track_caller]
    pub unsafe fn launch_unchecked<K: Kernel, A: Arguments<K::Params> + RecordableAll>(
        &mut self,
        _kernel: K,
        config: LaunchConfig,
        arguments: A,
    ) -> Result<(), GraphError> {
        let module = self
            .stream
            .device()
            .module_of::<K>()
            .map_err(LaunchError::from)?;
        // SAFETY: the caller vouches for the kernel, and the buffers' order is kept by each launch of the graph.
        let uses = unsafe { module.record_launch::<K, A>(&self.stream, config, arguments) }?;
        self.add(uses)
    }

    /// Records a copy from one buffer of the device to another.
    ///
    /// # Errors
    /// [`MemoryError::LengthMismatch`]; [`GraphError::NotWhole`]; what the driver says.
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
            from.recorded(&self.stream, Access::Read),
            to.recorded(&self.stream, Access::Write),
        ])?;
        let bytes = from.len() * size_of::<T>();
        if bytes > 0 {
            let stream = self.stream.raw();
            // SAFETY: both ends have so many bytes, and the graph is not launched once one of them is gone.
            let result =
                unsafe { sys::cuMemcpyDtoDAsync_v2(to.address(), from.address(), bytes, stream) };
            DriverError::check("cuMemcpyDtoDAsync", result, at)?;
        }
        Ok(())
    }

    /// Records setting every byte of a buffer to zero.
    ///
    /// # Errors
    /// [`GraphError::NotWhole`]; what the driver says.
    #[track_caller]
    pub fn fill_zero<T: DeviceCopy + Zeroable>(
        &mut self,
        buffer: &mut DeviceBuffer<T>,
    ) -> Result<(), GraphError> {
        self.add([buffer.recorded(&self.stream, Access::Write)])?;
        let bytes = buffer.len() * size_of::<T>();
        if bytes > 0 {
            // SAFETY: the buffer has so many bytes, a `Zeroable` type may be all zeroes, and the graph is not launched once it is gone.
            let result =
                unsafe { sys::cuMemsetD8Async(buffer.address(), 0, bytes, self.stream.raw()) };
            DriverError::check("cuMemsetD8Async", result, Location::caller())?;
        }
        Ok(())
    }

    /// Notes what a node uses; none where it can't be watched over.
    fn add(&mut self, uses: impl IntoIterator<Item = Option<Used>>) -> Result<(), GraphError> {
        for used in uses {
            self.uses.push(used.ok_or(GraphError::NotWhole)?);
        }
        Ok(())
    }
}

/// Recorded work, ready to be launched.
#[derive(Debug)]
pub struct Graph {
    device: Device,
    executable: CUgraphExec,
    uses: Vec<Used>,
    /// Where it ran, so that one launch is over before it is taken away.
    order: Order<Stream>,
}

// SAFETY: the driver lets any thread launch an executable graph, one at a time, which its order and the lock of the driver see to.
unsafe impl Send for Graph {}

impl Device {
    /// Records the work that `work` asks for, one after another. None of it is done until the graph is launched.
    ///
    /// # Errors
    /// What `work` answers, or the driver's.
    #[track_caller]
    pub fn record(
        &self,
        work: impl FnOnce(&mut Record) -> Result<(), GraphError>,
    ) -> Result<Graph, GraphError> {
        let at = Location::caller();
        let Recorded { graph, uses } = Recorded::of(self, work, at)?;
        let mut executable = null_mut();
        // SAFETY: the result has a place, and the graph is live.
        let result = unsafe { sys::cuGraphInstantiateWithFlags(&mut executable, graph.0, 0) };
        DriverError::check("cuGraphInstantiateWithFlags", result, at)?;
        Ok(Graph {
            device: self.clone(),
            executable,
            uses,
            order: Order::default(),
        })
    }
}

impl Graph {
    /// Queues the graph's work on `stream`, after the other uses of its buffers.
    ///
    /// # Errors
    /// [`GraphError::BufferIsGone`], [`GraphError::OtherDevice`], or the driver's.
    #[track_caller]
    pub fn launch(&self, stream: &Stream) -> Result<(), GraphError> {
        let at = Location::caller();
        if stream.device() != &self.device {
            let (graph, stream) = (self.device.ordinal(), stream.device().ordinal());
            return Err(GraphError::OtherDevice { graph, stream, at });
        }
        let wait =
            |earlier: &Stream, mark: Option<&Marked<Stream>>| stream.wait_behind(earlier, mark);
        // Launches of one graph run one after another, as the driver has it too.
        let _launched = self.order.begin(stream, Access::Write, wait)?;
        let held = self.hold().ok_or(GraphError::BufferIsGone { at })?;
        for (held, (_, access)) in held.iter().zip(&self.uses) {
            Order::begin_held(held, stream, *access, wait)?;
        }
        self.device.make_current(at)?;
        // SAFETY: the executable is live, and the memory that its nodes know is too: nobody can drop a buffer that is in use here.
        let result = unsafe { sys::cuGraphLaunch(self.executable, stream.raw()) };
        DriverError::check("cuGraphLaunch", result, at)?;
        stream.note_launch(|| "a graph".to_owned(), at);
        Ok(())
    }

    /// Holds all of its buffers at once, so that nobody begins a use of one before the launch is queued; none when one is gone.
    fn hold(&self) -> Option<Vec<Held<Stream>>> {
        loop {
            let mut held = Vec::with_capacity(self.uses.len());
            for (order, _) in &self.uses {
                match order.hold() {
                    Hold::Held(one) => held.push(one),
                    Hold::Gone => return None,
                    Hold::Busy => break,
                }
            }
            if held.len() == self.uses.len() {
                return Some(held);
            }
            // Whoever is about to queue something may be waiting for what is held here.
            drop(held);
            std::thread::yield_now();
        }
    }

    /// Gives it the work that `work` asks for instead, which has to be the same kinds of work in the same order: other buffers, other values. That
    /// is faster than making another graph.
    ///
    /// # Errors
    /// As [`Device::record`]; `CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE` when the work is of another kind, and the graph stays what it was.
    #[track_caller]
    pub fn update(
        &mut self,
        work: impl FnOnce(&mut Record) -> Result<(), GraphError>,
    ) -> Result<(), GraphError> {
        let at = Location::caller();
        let Recorded { graph, uses } = Recorded::of(&self.device, work, at)?;
        // From CUDA 12 on `cuGraphExecUpdate_v2` has another result; what it says beyond the code is not needed here.
        let (mut node, mut why) = (
            null_mut(),
            sys::CUgraphExecUpdateResult::CU_GRAPH_EXEC_UPDATE_SUCCESS,
        );
        // SAFETY: both are live, and the results have places.
        let result =
            unsafe { sys::cuGraphExecUpdate(self.executable, graph.0, &mut node, &mut why) };
        DriverError::check("cuGraphExecUpdate", result, at)?;
        self.uses = uses;
        Ok(())
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        // A launch that is under way holds what it needs; its stream is waited for all the same, so that nothing of it outlives this.
        for stream in self.order.streams() {
            let _ = stream.synchronize();
        }
        let _ = self.device.make_current(Location::caller());
        // SAFETY: made by `record` and destroyed once. There is nobody to report to.
        let _ = unsafe { sys::cuGraphExecDestroy(self.executable) };
    }
}

/// A recorded graph that nobody can launch yet.
struct Recorded {
    graph: Template,
    uses: Vec<Used>,
}

/// Destroyed when dropped.
struct Template(CUgraph);

impl Drop for Template {
    fn drop(&mut self) {
        if !self.0.is_null() {
            // SAFETY: made by a capture and destroyed once.
            let _ = unsafe { sys::cuGraphDestroy(self.0) };
        }
    }
}

impl Recorded {
    /// Records by capturing a stream that nobody else has.
    fn of(
        device: &Device,
        work: impl FnOnce(&mut Record) -> Result<(), GraphError>,
        at: &'static Location<'static>,
    ) -> Result<Self, GraphError> {
        let stream = device.stream_with(StreamOptions::new().non_blocking())?;
        let _recording = device.gate().record();
        // Other threads go on meanwhile, and so does this one with other streams.
        let mode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;
        // SAFETY: the stream is live.
        let result = unsafe { sys::cuStreamBeginCapture_v2(stream.raw(), mode) };
        DriverError::check("cuStreamBeginCapture", result, at)?;
        let mut ending = Capture {
            stream: &stream,
            graph: Template(null_mut()),
            open: true,
        };
        let mut record = Record {
            stream: stream.clone(),
            uses: Vec::new(),
        };
        let done = work(&mut record);
        let ended = ending.end(at);
        done?;
        ended?;
        let graph = std::mem::replace(&mut ending.graph, Template(null_mut()));
        Ok(Self {
            graph,
            uses: once_each(record.uses),
        })
    }
}

/// A capture under way: ended when dropped, so that a panic in the middle leaves no stream that captures.
struct Capture<'a> {
    stream: &'a Stream,
    graph: Template,
    open: bool,
}

impl Capture<'_> {
    fn end(&mut self, at: &'static Location<'static>) -> Result<(), DriverError> {
        self.open = false;
        self.stream.device().make_current(at)?;
        // SAFETY: the stream is live, and the result has a place.
        let result = unsafe { sys::cuStreamEndCapture(self.stream.raw(), &mut self.graph.0) };
        DriverError::check("cuStreamEndCapture", result, at)
    }
}

impl Drop for Capture<'_> {
    fn drop(&mut self) {
        if self.open {
            let _ = self.end(Location::caller());
        }
    }
}

/// Each buffer once, written if any of its uses writes it.
fn once_each(uses: Vec<Used>) -> Vec<Used> {
    let mut all: Vec<Used> = Vec::new();
    for (order, access) in uses {
        match all.iter_mut().find(|(earlier, _)| earlier.is(&order)) {
            Some((_, earlier)) if access == Access::Write => *earlier = access,
            Some(_) => {}
            None => all.push((order, access)),
        }
    }
    all
}
