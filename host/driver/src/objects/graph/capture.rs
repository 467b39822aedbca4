//! Stream capture: calls on a stream become nodes of a graph instead of running.
//!
//! Source: CUDA C++ Programming Guide, "Creating a Graph Using Stream Capture", and the driver API
//! reference of the calls. A capture begins in one stream. Another stream joins it by waiting for
//! an event that was recorded in it. Each stream of a capture has a list of the nodes that its next
//! node will wait for. A call that cannot be captured makes the capture invalid. Then later calls
//! in it fail until it is ended.

use super::{Graph, Kind};
use crate::abi::enums::{capture_mode as mode, capture_status as status};
use crate::abi::{CUcontext, CUgraphNode};
use crate::error::{Result, ensure, fail};
use crate::objects::stream::Stream;
use crate::objects::stream::capturing::Capturing;
use parking_lot::Mutex;
use std::any::Any;
use std::cell::Cell;
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::thread::ThreadId;

/// A capture in progress.
#[derive(Debug)]
pub(crate) struct Capture {
    /// A number that is unique in the process.
    pub(crate) id: u64,
    pub(crate) graph: Arc<Graph>,
    mode: u32,
    thread: ThreadId,
    /// The address of the stream where it began.
    origin: *const Stream,
    invalid: AtomicBool,
    streams: Mutex<Vec<Weak<Stream>>>,
}

// SAFETY: `origin` is only compared and never dereferenced.
unsafe impl Send for Capture {}
// SAFETY: as above.
unsafe impl Sync for Capture {}

impl Capturing {
    /// Makes a part in `capture`, whose next node waits for `after`.
    fn new(capture: Arc<Capture>, after: Vec<CUgraphNode>) -> Capturing {
        Capturing {
            capture: capture as Arc<dyn Any + Send + Sync>,
            after,
        }
    }

    pub(crate) fn capture(&self) -> &Capture {
        match self.capture.downcast_ref() {
            Some(capture) => capture,
            None => unreachable!("parts are made here, of captures"),
        }
    }
}

/// The captures in progress, and their number. Most programs have none; then the count
/// avoids the lookup.
static CAPTURES: Mutex<Vec<Arc<Capture>>> = Mutex::new(Vec::new());
static COUNT: AtomicUsize = AtomicUsize::new(0);
static NEXT_ID: AtomicU64 = AtomicU64::new(1);

thread_local! {
    static MODE: Cell<u32> = const { Cell::new(mode::GLOBAL) };
}

/// Returns whether any stream may be capturing.
pub(crate) fn any() -> bool {
    COUNT.load(Ordering::Acquire) > 0
}

/// Sets the calling thread's mode and returns the previous one.
pub(crate) fn exchange_mode(wanted: u32) -> u32 {
    MODE.replace(wanted)
}

/// Begins a capture in `stream`. It adds nodes to `graph`, and the first ones wait for `after`.
pub(crate) fn begin(
    stream: &Arc<Stream>,
    mode: u32,
    graph: Arc<Graph>,
    after: Vec<CUgraphNode>,
) -> Result {
    ensure!(
        mode <= mode::RELAXED,
        ERROR_INVALID_VALUE,
        "{mode} is no CUstreamCaptureMode"
    );
    ensure!(
        !stream.legacy,
        ERROR_STREAM_CAPTURE_UNSUPPORTED,
        "the legacy default stream cannot be captured; capture in a stream of your own"
    );
    let mut part = stream.capturing.lock();
    ensure!(
        part.is_none(),
        ERROR_ILLEGAL_STATE,
        "the stream is being captured already; cuStreamEndCapture ends that"
    );
    let capture = Arc::new(Capture {
        id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
        graph,
        mode,
        thread: std::thread::current().id(),
        origin: Arc::as_ptr(stream),
        invalid: AtomicBool::new(false),
        streams: Mutex::new(vec![Arc::downgrade(stream)]),
    });
    *part = Some(Capturing::new(capture.clone(), after));
    CAPTURES.lock().push(capture);
    COUNT.fetch_add(1, Ordering::Release);
    Ok(())
}

/// Ends the capture of `stream` and returns its graph.
pub(crate) fn end(stream: &Arc<Stream>) -> Result<Arc<Graph>> {
    let Some(part) = stream.capturing.lock().clone() else {
        fail!(
            ERROR_ILLEGAL_STATE,
            "the stream is not being captured; cuStreamBeginCapture begins that"
        )
    };
    let (capture, after) = (part.capture(), &part.after);
    ensure!(
        capture.mode == mode::RELAXED || capture.thread == std::thread::current().id(),
        ERROR_STREAM_CAPTURE_WRONG_THREAD,
        "the capture was begun by another thread; only one that is begun as CU_STREAM_CAPTURE_MODE_RELAXED can be ended by any"
    );
    if capture.origin != Arc::as_ptr(stream) {
        capture.invalidate();
        fail!(
            ERROR_STREAM_CAPTURE_UNMATCHED,
            "the capture began in another stream; end it there"
        )
    }
    let unjoined = capture.unjoined(after);
    let valid = !capture.invalid.load(Ordering::Acquire);
    capture.finish();
    ensure!(
        valid,
        ERROR_STREAM_CAPTURE_INVALIDATED,
        "a call that cannot be captured has made the capture invalid; there is no graph"
    );
    ensure!(
        !unjoined,
        ERROR_STREAM_CAPTURE_UNJOINED,
        "another stream joined the capture and its work was not waited for; record an event there and wait for it here"
    );
    Ok(capture.graph.clone())
}

/// Adds an operation to the capture if the stream is being captured, and returns whether it is.
pub(crate) fn add(stream: &Stream, kind: &Kind) -> Result<bool> {
    if !any() {
        return Ok(false);
    }
    let mut part = stream.capturing.lock();
    let Some(part) = part.as_mut() else {
        return Ok(false);
    };
    part.capture().check()?;
    let node = part.capture().graph.add(kind.clone(), &part.after)?;
    part.after = vec![node.handle];
    Ok(true)
}

/// Makes `stream` wait for the point that an event recorded in a capture. The stream joins the
/// capture if it is not yet a part of it.
pub(crate) fn join(stream: &Arc<Stream>, event: &Capturing) -> Result {
    event.capture().check()?;
    let mut part = stream.capturing.lock();
    match part.as_mut() {
        None => {
            ensure!(
                !stream.legacy,
                ERROR_STREAM_CAPTURE_IMPLICIT,
                "the event is of a capture, which the legacy default stream cannot join; wait in a stream of your own"
            );
            ensure!(
                event.capture().is_running(),
                ERROR_CAPTURED_EVENT,
                "the event was last recorded in a capture that has ended; record it again"
            );
            event.capture().streams.lock().push(Arc::downgrade(stream));
            *part = Some(event.clone());
        }
        Some(own) if own.capture().id == event.capture().id => {
            own.capture().check()?;
            for node in &event.after {
                if !own.after.contains(node) {
                    own.after.push(*node);
                }
            }
        }
        Some(own) => {
            own.capture().invalidate();
            event.capture().invalidate();
            fail!(
                ERROR_STREAM_CAPTURE_MERGE,
                "the event is of another capture than the stream; two captures cannot become one"
            )
        }
    }
    Ok(())
}

/// Returns the stream's part in a capture.
pub(crate) fn part(stream: &Stream) -> Option<Capturing> {
    if any() {
        stream.capturing.lock().clone()
    } else {
        None
    }
}

/// Returns the `CUstreamCaptureStatus` of a stream.
pub(crate) fn status(stream: &Stream) -> u32 {
    match part(stream) {
        None => status::NONE,
        Some(part) if part.capture().invalid.load(Ordering::Acquire) => status::INVALIDATED,
        Some(_) => status::ACTIVE,
    }
}

/// Refuses an action that is not possible with a stream that is being captured. The
/// capture becomes invalid.
pub(crate) fn refuse(stream: &Stream, what: &str) -> Result {
    if let Some(part) = part(stream) {
        part.capture().check()?;
        part.capture().invalidate();
        fail!(
            ERROR_STREAM_CAPTURE_UNSUPPORTED,
            "the stream is being captured and cannot {what}; the capture is invalid from now on"
        )
    }
    Ok(())
}

/// Refuses an action that would make the legacy default stream of `context` depend on a capture.
/// The capture becomes invalid.
pub(crate) fn refuse_legacy(context: CUcontext) -> Result {
    let blocking = |stream: &Stream| stream.is_blocking();
    if invalidate_where(context, blocking) {
        fail!(
            ERROR_STREAM_CAPTURE_IMPLICIT,
            "a stream that waits for the legacy default stream is being captured, so that cannot be used; use another \
             stream, or capture in one made with CU_STREAM_NON_BLOCKING"
        )
    }
    Ok(())
}

/// Refuses to wait for all of `context` while one of its streams is being captured. The
/// capture becomes invalid.
pub(crate) fn refuse_whole(context: CUcontext) -> Result {
    if invalidate_where(context, |_| true) {
        fail!(
            ERROR_STREAM_CAPTURE_UNSUPPORTED,
            "a stream of the context is being captured, so that nothing can wait for all of it; the capture is invalid from \
             now on"
        )
    }
    Ok(())
}

fn invalidate_where(context: CUcontext, concerns: impl Fn(&Stream) -> bool) -> bool {
    if !any() {
        return false;
    }
    let mut found = false;
    for capture in CAPTURES.lock().iter() {
        let streams = capture.streams.lock();
        let mut streams = streams.iter().filter_map(Weak::upgrade);
        if streams.any(|stream| stream.context == context && concerns(&stream)) {
            capture.invalidate();
            found = true;
        }
    }
    found
}

/// Refuses a call that may implicitly wait for the device, if a capture's mode requires that. The
/// capture becomes invalid.
pub(crate) fn permit_unsafe() -> Result {
    let own = MODE.get();
    if !any() || own == mode::RELAXED {
        return Ok(());
    }
    let thread = std::thread::current().id();
    let captures = CAPTURES.lock();
    let concerned = captures.iter().find(|capture| {
        let of_this_thread = capture.thread == thread && capture.mode != mode::RELAXED;
        of_this_thread || (own == mode::GLOBAL && capture.mode == mode::GLOBAL)
    });
    if let Some(capture) = concerned {
        capture.invalidate();
        fail!(
            ERROR_STREAM_CAPTURE_UNSUPPORTED,
            "a stream is being captured, in a mode that does not let this call through; make it before or after, or see \
             cuThreadExchangeStreamCaptureMode; the capture is invalid from now on"
        )
    }
    Ok(())
}

/// Removes the stream from its capture, which becomes invalid: the stream is being destroyed.
pub(crate) fn leave(stream: &Stream) {
    if let Some(part) = stream.capturing.lock().take() {
        part.capture().invalidate();
        if std::ptr::eq(part.capture().origin, stream) {
            part.capture().finish();
        }
    }
}

impl Capture {
    fn check(&self) -> Result {
        ensure!(
            !self.invalid.load(Ordering::Acquire),
            ERROR_STREAM_CAPTURE_INVALIDATED,
            "an earlier call that cannot be captured has made the capture invalid; end it with cuStreamEndCapture"
        );
        Ok(())
    }

    /// Makes the capture fail from now on.
    pub(crate) fn invalidate(&self) {
        self.invalid.store(true, Ordering::Release);
    }

    fn is_running(&self) -> bool {
        CAPTURES.lock().iter().any(|other| other.id == self.id)
    }

    /// Returns whether a stream has nodes that those of `after` do not come after.
    fn unjoined(&self, after: &[CUgraphNode]) -> bool {
        let edges = self.graph.edges();
        let mut before: HashSet<CUgraphNode> = after.iter().copied().collect();
        let mut left: Vec<CUgraphNode> = after.to_vec();
        while let Some(node) = left.pop() {
            for &(from, _) in edges.iter().filter(|&&(_, to)| to == node) {
                if before.insert(from) {
                    left.push(from);
                }
            }
        }
        let streams = self.streams.lock();
        streams.iter().filter_map(Weak::upgrade).any(|stream| {
            let part = stream.capturing.lock();
            part.as_ref()
                .is_some_and(|part| part.after.iter().any(|node| !before.contains(node)))
        })
    }

    /// Makes its streams run their operations again instead of capturing them.
    fn finish(&self) {
        let streams = std::mem::take(&mut *self.streams.lock());
        for stream in streams.iter().filter_map(Weak::upgrade) {
            let mut part = stream.capturing.lock();
            if part
                .as_ref()
                .is_some_and(|part| part.capture().id == self.id)
            {
                *part = None;
            }
        }
        let mut captures = CAPTURES.lock();
        let before = captures.len();
        captures.retain(|other| other.id != self.id);
        COUNT.fetch_sub(before - captures.len(), Ordering::Release);
    }
}
