//! Streams: work on one stream runs in order, work on two streams may run side by side.
//!
//! [`Device::stream`] makes a stream that keeps order with the legacy default stream, on which
//! synchronous copies run: each waits for the work on the other. A [`StreamOptions::non_blocking`]
//! stream does not; there the buffers themselves keep order, as they do between any two streams
//! (see [`crate::DeviceBuffer`]). A [`Stream`] is reference-counted, so that a buffer can remember
//! the streams that used it.
//! Source: CUDA C++ Programming Guide, "Streams"; CUDA driver API, "Stream Management";
//! Professional CUDA C Programming, chapter 6.

mod event;
mod finished;
pub(crate) mod order;
mod timer;

pub use event::{Event, EventOptions};
pub use finished::Finished;
pub use timer::{Clock, EventClock, Timer, WallClock};

use std::collections::HashMap;
use std::ffi::c_void;
use std::panic::Location;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use lanewise_driver::abi::enums::stream_flags;
use lanewise_driver::abi::{CUresult, CUstream};
use lanewise_driver::api;

use crate::journal::{self, What};
use crate::late::{self, run_host_function};
use crate::{Backend, Device, DriverError};
use order::{Access, BegunUse, LaunchUse, Marked, Order, Queue};

/// A queue of work for a device. A clone is a handle of the same queue.
#[derive(Debug, Clone)]
pub struct Stream(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    device: Device,
    handle: CUstream,
    kind: Kind,
    /// A number that is unique in the process. The driver uses handles again, so they cannot
    /// identify a stream.
    number: u64,
    /// The number of points that were marked in it. It is locked while a point is marked, so that a
    /// larger number means a later point.
    marks: Mutex<u64>,
    /// For each other stream, by its number: the last point in it that this stream waits for.
    waited: Mutex<HashMap<u64, u64>>,
}

/// The number of other streams for which a stream remembers what it waits for.
const REMEMBERED: usize = 64;

/// Returns the number of the next stream, larger than all before.
fn number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl Order<Stream> {
    /// Begins a use on `stream`, and makes the stream wait for the earlier uses that
    /// conflict with it.
    #[track_caller]
    pub(crate) fn begin_on(
        &self,
        stream: &Stream,
        access: Access,
    ) -> Result<LaunchUse<Stream>, DriverError> {
        self.begin(stream, access, |earlier, mark| {
            stream.wait_behind(earlier, mark)
        })
    }

    /// As [`Self::begin_on`], for a launch that ends all of its uses together.
    ///
    /// # Safety
    /// The memory of this order is there until the uses have ended.
    #[track_caller]
    #[inline(always)]
    pub(crate) unsafe fn begin_among_on(
        &self,
        uses: &mut Vec<BegunUse<Stream>>,
        stream: &Stream,
        access: Access,
    ) -> Result<(), DriverError> {
        let wait =
            |earlier: &Stream, mark: Option<&Marked<Stream>>| stream.wait_behind(earlier, mark);
        // SAFETY: the caller promises the same.
        unsafe { self.begin_among(uses, stream, access, wait) }
    }

    /// Makes the host wait for all uses so far.
    #[track_caller]
    pub(crate) fn synchronize(&self) -> Result<(), DriverError> {
        self.streams().iter().try_for_each(Stream::synchronize)
    }
}

impl Queue for Stream {
    type Mark = Event;

    #[inline]
    fn number(&self) -> u64 {
        // Handles of the default stream are many objects.
        if self.0.kind == Kind::Default {
            return 0;
        }
        self.0.number
    }

    fn mark(&self) -> Option<(u64, Event)> {
        // Handles of the default stream do not share one count of points.
        if self.0.kind == Kind::Default {
            return None;
        }
        let mut marks = self.0.marks.lock().unwrap_or_else(PoisonError::into_inner);
        let event = self.device().event_with(EventOptions::new().without_time());
        let event = event.ok()?;
        event.record(self).ok()?;
        *marks += 1;
        Some((*marks, event))
    }
}

/// How a stream relates to the legacy default stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// It is the legacy default stream.
    Default,
    /// Each of the two waits for what was queued on the other before.
    Blocking,
    /// Neither waits for the other.
    NonBlocking,
}

/// Options for a new stream. The defaults are those of [`Device::stream`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StreamOptions {
    non_blocking: bool,
    priority: i32,
}

impl StreamOptions {
    /// Returns the defaults: a stream of the lowest priority that waits for the default stream.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes the stream independent of the legacy default stream: neither waits for the other.
    pub fn non_blocking(self) -> Self {
        Self {
            non_blocking: true,
            ..self
        }
    }

    /// Sets the priority. A smaller number is more urgent; a number outside the device's range
    /// becomes the nearest one in it ([`Device::stream_priorities`]). Blocks of more urgent kernels
    /// start first. Running blocks are not interrupted, and copies have no priority.
    pub fn priority(self, priority: i32) -> Self {
        Self { priority, ..self }
    }
}

/// The priorities that streams can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamPriorities {
    /// The least urgent, which is the default: 0.
    pub least: i32,
    /// The most urgent: a negative number, or 0 if the device has no priorities.
    pub greatest: i32,
}

impl Device {
    /// Makes a stream that keeps order with the legacy default stream, on which
    /// synchronous copies run.
    ///
    /// # Errors
    /// The driver's error. After a fault in a kernel, every call on its context returns that error.
    #[track_caller]
    pub fn stream(&self) -> Result<Stream, DriverError> {
        self.stream_with(StreamOptions::new())
    }

    /// Makes a stream with these options.
    ///
    /// # Errors
    /// The driver's error. After a fault in a kernel, every call on its context returns that error.
    #[track_caller]
    pub fn stream_with(&self, options: StreamOptions) -> Result<Stream, DriverError> {
        let at = Location::caller();
        self.make_current(at)?;
        let (flags, kind) = match options.non_blocking {
            true => (stream_flags::NON_BLOCKING, Kind::NonBlocking),
            false => (0, Kind::Blocking),
        };
        let mut handle = CUstream::default();
        // SAFETY: the result is written to a local variable.
        let result =
            unsafe { api::cuStreamCreateWithPriority(&mut handle, flags, options.priority) };
        DriverError::check("cuStreamCreateWithPriority", result, at)?;
        Ok(Stream(Arc::new(Inner {
            device: self.clone(),
            handle,
            kind,
            number: number(),
            marks: Mutex::default(),
            waited: Mutex::default(),
        })))
    }

    /// Returns the legacy default stream. Work on it waits for everything queued before on all
    /// streams except the non-blocking ones, and those streams wait for it. Programs that want
    /// overlap do not use it.
    pub fn default_stream(&self) -> Stream {
        Stream(Arc::new(Inner {
            device: self.clone(),
            handle: CUstream::default(),
            kind: Kind::Default,
            number: number(),
            marks: Mutex::default(),
            waited: Mutex::default(),
        }))
    }

    /// Returns the priorities that streams of this device can have.
    ///
    /// # Errors
    /// The driver's error. After a fault in a kernel, every call on its context returns that error.
    #[track_caller]
    pub fn stream_priorities(&self) -> Result<StreamPriorities, DriverError> {
        let at = Location::caller();
        self.make_current(at)?;
        let (mut least, mut greatest) = (0, 0);
        // SAFETY: both results are written to local variables.
        let result = unsafe { api::cuCtxGetStreamPriorityRange(&mut least, &mut greatest) };
        DriverError::check("cuCtxGetStreamPriorityRange", result, at)?;
        Ok(StreamPriorities { least, greatest })
    }
}

impl Stream {
    /// Returns the device that the stream belongs to.
    pub fn device(&self) -> &Device {
        &self.0.device
    }

    /// Returns the priority that the device gave to the stream.
    ///
    /// # Errors
    /// The driver's error. After a fault in a kernel, every call on its context returns that error.
    #[track_caller]
    pub fn priority(&self) -> Result<i32, DriverError> {
        let at = self.make_current(Location::caller())?;
        let mut priority = 0;
        // SAFETY: the result is written to a local variable, and the stream is live.
        let result = unsafe { api::cuStreamGetPriority(self.handle(), &mut priority) };
        DriverError::check("cuStreamGetPriority", result, at)?;
        Ok(priority)
    }

    /// Waits until everything queued so far has run.
    ///
    /// # Errors
    /// The driver's error, for example the fault of a kernel that ran on this stream. The report
    /// then says where it happened.
    #[track_caller]
    pub fn synchronize(&self) -> Result<(), DriverError> {
        let at = self.make_current(Location::caller())?;
        // SAFETY: the stream is live.
        let result = unsafe { api::cuStreamSynchronize(self.handle()) };
        DriverError::check("cuStreamSynchronize", result, at)?;
        journal::done(self.device().ordinal(), Some(self.handle().0));
        Ok(())
    }

    /// Notes a launch on this stream for the error after a fault. A GPU's driver does not say
    /// which kernel faulted.
    #[inline]
    pub(crate) fn note_launch(&self, what: impl FnOnce() -> What, at: &'static Location<'static>) {
        if self.device().backend() == Backend::Cuda {
            journal::launched(what(), self.device().ordinal(), self.handle().0, at);
        }
    }

    /// Returns whether everything queued so far has run.
    ///
    /// # Errors
    /// As [`Self::synchronize`].
    #[track_caller]
    pub fn is_done(&self) -> Result<bool, DriverError> {
        let at = self.make_current(Location::caller())?;
        // SAFETY: the stream is live.
        match unsafe { api::cuStreamQuery(self.handle()) } {
            CUresult::ERROR_NOT_READY => Ok(false),
            result => DriverError::check("cuStreamQuery", result, at).map(|()| true),
        }
    }

    /// Returns an event that occurs when everything queued so far has run.
    ///
    /// # Errors
    /// The driver's error. After a fault in a kernel, every call on its context returns that error.
    #[track_caller]
    pub fn record(&self) -> Result<Event, DriverError> {
        let event = self.device().event()?;
        event.record(self)?;
        Ok(event)
    }

    /// Makes work that is queued from now on wait for the last record of `event`. The event may be
    /// of another device.
    ///
    /// # Errors
    /// The driver's error. After a fault in a kernel, every call on its context returns that error.
    #[track_caller]
    pub fn wait_event(&self, event: &Event) -> Result<(), DriverError> {
        let at = self.make_current(Location::caller())?;
        // SAFETY: both handles are live, and the driver keeps the record of the event.
        let result = unsafe { api::cuStreamWaitEvent(self.handle(), event.handle(), 0) };
        DriverError::check("cuStreamWaitEvent", result, at)
    }

    /// Makes work that is queued from now on wait for everything that is queued on `earlier` now.
    ///
    /// # Errors
    /// The driver's error, if the event between the two streams cannot be made.
    #[track_caller]
    pub fn wait_for(&self, earlier: &Stream) -> Result<(), DriverError> {
        if self.waits_anyway(earlier) {
            return Ok(());
        }
        let event = earlier
            .device()
            .event_with(EventOptions::new().without_time())?;
        event.record(earlier)?;
        self.wait_event(&event)
    }

    /// Makes work that is queued from now on wait for this point of `earlier`. Without a point, it
    /// waits for everything that is queued there now.
    #[track_caller]
    pub(crate) fn wait_behind(
        &self,
        earlier: &Stream,
        mark: Option<&Marked<Stream>>,
    ) -> Result<(), DriverError> {
        if self.waits_anyway(earlier) {
            return Ok(());
        }
        let Some((point, event)) = mark else {
            return self.wait_for(earlier);
        };
        let mut waited = self.0.waited.lock().unwrap_or_else(PoisonError::into_inner);
        if waited
            .get(&earlier.0.number)
            .is_some_and(|last| last >= point)
        {
            return Ok(());
        }
        self.wait_event(event)?;
        // Most of so many streams no longer exist. Forgetting a point costs one more wait,
        // and nothing else.
        if waited.len() >= REMEMBERED {
            waited.clear();
        }
        waited.insert(earlier.0.number, *point);
        Ok(())
    }

    /// Returns whether this stream waits for `earlier` anyway: both are the same stream, or one is
    /// the legacy default stream and the other keeps order with it.
    fn waits_anyway(&self, earlier: &Stream) -> bool {
        let kinds = (self.0.kind, earlier.0.kind);
        self == earlier
            || self.device() == earlier.device()
                && matches!(
                    kinds,
                    (Kind::Default, Kind::Blocking) | (Kind::Blocking, Kind::Default)
                )
    }

    /// Queues a call of `function` on the host, after everything queued so far. Work that is queued
    /// later waits for it. It runs on a thread of the driver.
    ///
    /// It must not use the device: every driver call in it returns `CUDA_ERROR_NOT_PERMITTED` (on
    /// a GPU the driver may also deadlock). Driver objects that it drops are freed a little
    /// later, by another thread. After a fault it is not called. A panic in it is printed, and
    /// the stream continues.
    ///
    /// # Errors
    /// The driver's error. After a fault in a kernel, every call on its context returns that error.
    #[track_caller]
    pub fn call(&self, function: impl FnOnce() + Send + 'static) -> Result<(), DriverError> {
        /// Calls the function that `data` owns.
        unsafe extern "C" fn run<F: FnOnce() + Send>(data: *mut c_void) {
            // SAFETY: `data` is the box that was passed with this function, and the driver calls
            // the function once.
            let function = unsafe { Box::from_raw(data.cast::<F>()) };
            run_host_function(function);
        }
        fn runner<F: FnOnce() + Send>(_: &F) -> unsafe extern "C" fn(*mut c_void) {
            run::<F>
        }
        let at = self.make_current(Location::caller())?;
        let run = runner(&function);
        let data = Box::into_raw(Box::new(function));
        // SAFETY: the stream is live, and `data` is the box that `run` takes.
        let result = unsafe { api::cuLaunchHostFunc(self.handle(), Some(run), data.cast()) };
        let queued = DriverError::check("cuLaunchHostFunc", result, at);
        if queued.is_err() {
            // SAFETY: the driver has refused the function, so this code still owns the box.
            drop(unsafe { Box::from_raw(data) });
        }
        queued
    }

    /// Returns the driver's handle, which is 0 for the default stream.
    pub(crate) fn handle(&self) -> CUstream {
        self.0.handle
    }

    /// Makes the device's context current on this thread.
    fn make_current(
        &self,
        at: &'static Location<'static>,
    ) -> Result<&'static Location<'static>, DriverError> {
        self.device().make_current(at).map(|()| at)
    }
}

impl PartialEq for Stream {
    fn eq(&self, other: &Self) -> bool {
        self.0.handle == other.0.handle && self.device() == other.device()
    }
}

impl Eq for Stream {}

impl Drop for Inner {
    fn drop(&mut self) {
        if self.kind != Kind::Default {
            late::end(Destroyed(self.handle));
        }
    }
}

/// The handle of a stream whose last owner was dropped.
struct Destroyed(CUstream);

impl Drop for Destroyed {
    fn drop(&mut self) {
        // SAFETY: `Inner` made the handle, and it is destroyed once. Work that is still queued runs
        // all the same. A drop cannot report errors.
        let _ = unsafe { api::cuStreamDestroy_v2(self.0) };
    }
}
