//! Streams: work queued on one stream runs in order, work on two streams side by side.
//!
//! [`Device::stream`] makes a stream that keeps order with the legacy default stream, on which plain copies run: each waits for what the
//! other has. One made [`StreamOptions::non_blocking`] does not; there the buffers themselves keep order, as they do between any two
//! streams (see [`crate::DeviceBuffer`]). A [`Stream`] is shared by reference count, so that a buffer can remember where it was used.
//! Source: CUDA C++ Programming Guide, "Streams"; CUDA driver API, "Stream Management"; CUDA study notes, chapter 6.

mod event;
mod finished;
pub(crate) mod order;
mod timer;

pub use event::{Event, EventOptions};
pub use finished::Finished;
pub use timer::{Clock, Elapsed, EventClock, TimeUnit, Timer, WallClock};

use std::collections::HashMap;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, Location, catch_unwind};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use cust::sys::{self, CUstream};

use crate::{Backend, Device, DriverError, journal};
use order::{Access, LaunchUse, Marked, Order, Queue};

/// A queue of work for a device. Clones are the same queue.
#[derive(Debug, Clone)]
pub struct Stream(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    device: Device,
    handle: CUstream,
    kind: Kind,
    /// Which of the process's streams it is; handles are used again.
    number: u64,
    /// How many points in it were marked. Held while one is, so that a point of a larger number comes later.
    marks: Mutex<u64>,
    /// Of other streams, by their numbers, the last point that what is queued here waits for.
    waited: Mutex<HashMap<u64, u64>>,
}

// SAFETY: a stream's handle may be used from any thread ("API thread safety", CUDA driver API).
unsafe impl Send for Inner {}
// SAFETY: as above.
unsafe impl Sync for Inner {}

/// Of so many other streams a stream remembers what it waits for.
const REMEMBERED: usize = 64;

/// The number of the next stream, larger than all before.
fn number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl Order<Stream> {
    /// Begins a use on `stream`, behind what it must not overtake.
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

    /// Has the host wait for all uses that were begun.
    #[track_caller]
    pub(crate) fn synchronize(&self) -> Result<(), DriverError> {
        self.streams().iter().try_for_each(Stream::synchronize)
    }
}

impl Queue for Stream {
    type Mark = Event;

    fn mark(&self) -> Option<(u64, Event)> {
        // Handles of the default stream have no count in common.
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

/// Calls a function for the driver, into which nothing must unwind. A panic's hook has said what it was.
pub(crate) fn to_its_end(function: impl FnOnce()) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(function)) {
        // What was panicked with may panic itself when it is dropped.
        std::mem::forget(payload);
    }
}

/// What a stream is to the legacy default stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// It is that stream.
    Default,
    /// Each waits for what was queued on the other before.
    Blocking,
    /// It has nothing to do with it.
    NonBlocking,
}

/// How a stream is made; as [`Device::stream`] makes one until something else is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StreamOptions {
    non_blocking: bool,
    priority: i32,
}

impl StreamOptions {
    /// A stream of the lowest priority that waits for the default stream.
    pub fn new() -> Self {
        Self::default()
    }

    /// One that does not wait for the legacy default stream, nor that for it.
    pub fn non_blocking(self) -> Self {
        Self {
            non_blocking: true,
            ..self
        }
    }

    /// One of this priority. Less is more urgent; what the device does not have becomes the nearest that it has
    /// ([`Device::stream_priorities`]). Blocks of a kernel of higher priority are handed out first; what runs is not interrupted, and
    /// copies take no notice.
    pub fn priority(self, priority: i32) -> Self {
        Self { priority, ..self }
    }
}

/// The priorities that streams can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamPriorities {
    /// Of the streams that nothing is said of: 0.
    pub least: i32,
    /// The most urgent: a negative number, or 0 where the device knows no priorities.
    pub greatest: i32,
}

impl Device {
    /// A new stream. It waits for the legacy default stream, on which copies run.
    ///
    /// # Errors
    /// The driver's answer; after a kernel's fault every call on its context answers with that fault.
    #[track_caller]
    pub fn stream(&self) -> Result<Stream, DriverError> {
        self.stream_with(StreamOptions::new())
    }

    /// A new stream that does not wait for the default stream, or has a priority.
    ///
    /// # Errors
    /// The driver's answer; after a kernel's fault every call on its context answers with that fault.
    #[track_caller]
    pub fn stream_with(&self, options: StreamOptions) -> Result<Stream, DriverError> {
        let at = Location::caller();
        self.make_current(at)?;
        let (flags, kind) = match options.non_blocking {
            true => (
                sys::CUstream_flags::CU_STREAM_NON_BLOCKING,
                Kind::NonBlocking,
            ),
            false => (sys::CUstream_flags::CU_STREAM_DEFAULT, Kind::Blocking),
        };
        let mut handle = null_mut();
        // SAFETY: the result has a place.
        let result =
            unsafe { sys::cuStreamCreateWithPriority(&mut handle, flags as u32, options.priority) };
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

    /// The legacy default stream: work on it waits for all that was queued on every other stream, but for the non-blocking ones, and they
    /// for it. Programs that want overlap leave it alone.
    pub fn default_stream(&self) -> Stream {
        Stream(Arc::new(Inner {
            device: self.clone(),
            handle: null_mut(),
            kind: Kind::Default,
            number: number(),
            marks: Mutex::default(),
            waited: Mutex::default(),
        }))
    }

    /// The priorities that streams of this device can have.
    ///
    /// # Errors
    /// The driver's answer; after a kernel's fault every call on its context answers with that fault.
    #[track_caller]
    pub fn stream_priorities(&self) -> Result<StreamPriorities, DriverError> {
        let at = Location::caller();
        self.make_current(at)?;
        let (mut least, mut greatest) = (0, 0);
        // SAFETY: both results have places.
        let result = unsafe { sys::cuCtxGetStreamPriorityRange(&mut least, &mut greatest) };
        DriverError::check("cuCtxGetStreamPriorityRange", result, at)?;
        Ok(StreamPriorities { least, greatest })
    }
}

impl Stream {
    /// The device whose work it queues.
    pub fn device(&self) -> &Device {
        &self.0.device
    }

    /// Its priority, as the device has it.
    ///
    /// # Errors
    /// The driver's answer; after a kernel's fault every call on its context answers with that fault.
    #[track_caller]
    pub fn priority(&self) -> Result<i32, DriverError> {
        let at = self.make_current(Location::caller())?;
        let mut priority = 0;
        // SAFETY: the result has a place, the stream is live.
        let result = unsafe { sys::cuStreamGetPriority(self.raw(), &mut priority) };
        DriverError::check("cuStreamGetPriority", result, at)?;
        Ok(priority)
    }

    /// Waits until everything queued so far has run.
    ///
    /// # Errors
    /// Among others, the fault of a kernel that ran on this stream: the report then says where it happened.
    #[track_caller]
    pub fn synchronize(&self) -> Result<(), DriverError> {
        let at = self.make_current(Location::caller())?;
        // SAFETY: the stream is live.
        let result = unsafe { sys::cuStreamSynchronize(self.raw()) };
        DriverError::check("cuStreamSynchronize", result, at)?;
        journal::done(self.device().ordinal(), Some(self.raw().addr()));
        Ok(())
    }

    /// Notes that something was launched on this stream, for the error after a fault: on a GPU, whose driver does not say what faulted.
    pub(crate) fn note_launch(
        &self,
        what: impl FnOnce() -> String,
        at: &'static Location<'static>,
    ) {
        if self.device().backend() == Backend::Cuda {
            journal::launched(what(), self.device().ordinal(), self.raw().addr(), at);
        }
    }

    /// Whether everything queued so far has run.
    ///
    /// # Errors
    /// What [`Self::synchronize`] fails with.
    #[track_caller]
    pub fn is_done(&self) -> Result<bool, DriverError> {
        let at = self.make_current(Location::caller())?;
        // SAFETY: the stream is live.
        match unsafe { sys::cuStreamQuery(self.raw()) } {
            sys::CUresult::CUDA_ERROR_NOT_READY => Ok(false),
            result => DriverError::check("cuStreamQuery", result, at).map(|()| true),
        }
    }

    /// An event that happens when what is queued so far has run.
    ///
    /// # Errors
    /// The driver's answer; after a kernel's fault every call on its context answers with that fault.
    #[track_caller]
    pub fn record(&self) -> Result<Event, DriverError> {
        let event = self.device().event()?;
        event.record(self)?;
        Ok(event)
    }

    /// Makes what is queued here from now on wait for `event`, as it was last recorded. The event may be of another device.
    ///
    /// # Errors
    /// The driver's answer; after a kernel's fault every call on its context answers with that fault.
    #[track_caller]
    pub fn wait_event(&self, event: &Event) -> Result<(), DriverError> {
        let at = self.make_current(Location::caller())?;
        // SAFETY: both are live; the driver keeps what the event has recorded.
        let result = unsafe { sys::cuStreamWaitEvent(self.raw(), event.raw(), 0) };
        DriverError::check("cuStreamWaitEvent", result, at)
    }

    /// Makes what is queued here from now on wait for what is queued on `earlier` by now.
    ///
    /// # Errors
    /// The driver's, where the event that joins the two cannot be made.
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

    /// Makes what is queued here from now on wait for this point of `earlier`, or without one for what is queued there by now.
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
        // Most of many streams are gone; what is forgotten is waited for again.
        if waited.len() >= REMEMBERED {
            waited.clear();
        }
        waited.insert(earlier.0.number, *point);
        Ok(())
    }

    /// Whether the default stream's rules make the one wait for the other.
    fn waits_anyway(&self, earlier: &Stream) -> bool {
        let kinds = (self.0.kind, earlier.0.kind);
        self == earlier
            || self.device() == earlier.device()
                && matches!(
                    kinds,
                    (Kind::Default, Kind::Blocking) | (Kind::Blocking, Kind::Default)
                )
    }

    /// Has the host call `function` once everything queued so far has run; what is queued later waits for it. It runs on a thread of the
    /// driver's.
    ///
    /// It must not use the device: every call that it makes answers with `CUDA_ERROR_NOT_PERMITTED` (on a GPU the driver is free to do
    /// worse, and wait for itself). After a fault it is not called. What it panics with is printed, and the stream goes on.
    ///
    /// # Errors
    /// The driver's answer; after a kernel's fault every call on its context answers with that fault.
    #[track_caller]
    pub fn call(&self, function: impl FnOnce() + Send + 'static) -> Result<(), DriverError> {
        /// Calls the function that `data` owns.
        unsafe extern "C" fn run<F: FnOnce() + Send>(data: *mut c_void) {
            // SAFETY: `data` is the box that was given with this function, which is called once.
            let function = unsafe { Box::from_raw(data.cast::<F>()) };
            to_its_end(function);
        }
        fn runner<F: FnOnce() + Send>(_: &F) -> unsafe extern "C" fn(*mut c_void) {
            run::<F>
        }
        let at = self.make_current(Location::caller())?;
        let run = runner(&function);
        let data = Box::into_raw(Box::new(function));
        // SAFETY: the stream is live, and the function is given what it takes.
        let result = unsafe { sys::cuLaunchHostFunc(self.raw(), Some(run), data.cast()) };
        let queued = DriverError::check("cuLaunchHostFunc", result, at);
        if queued.is_err() {
            // SAFETY: the driver has refused the function, so the box is still this function's.
            drop(unsafe { Box::from_raw(data) });
        }
        queued
    }

    /// The driver's handle, for what this crate does not wrap. Null for the default stream.
    pub fn raw(&self) -> CUstream {
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
            // SAFETY: made by this value and destroyed once; what is still queued runs all the same. There is nobody to report to.
            let _ = unsafe { sys::cuStreamDestroy_v2(self.handle) };
        }
    }
}
