//! `LANEWISE_TRACE=file.json`: a timeline of the driver's work for a program, for
//! Perfetto or `chrome://tracing`.
//!
//! The file is in the trace event format of Chrome ("complete" events, in microseconds). It has one
//! process for each device, and in it one track for each stream and one for each host thread. It is
//! written when the process ends.
//!
//! On the simulator ([`sim`]) all times are modelled, also those of the host's calls, so that the
//! same program always gives the same picture. The real duration of a call is among its arguments.
//! On a GPU ([`real`]) host calls are timed by the clock, and kernels and copies by events around
//! them. The events cost some time and add two calls to each launch.

pub(crate) mod real;
pub(crate) mod sim;

use crate::platform::process;
use crate::stderr;
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// One bar in the picture.
#[derive(Debug, Clone)]
pub(crate) struct Span {
    pub(crate) device: u32,
    pub(crate) track: Track,
    pub(crate) name: String,
    /// `kernel`, `copy`, `set`, `host`, `call` or `range`. A viewer can filter by it.
    pub(crate) category: &'static str,
    /// The time at which it began, in microseconds.
    pub(crate) start: f64,
    pub(crate) duration: f64,
    pub(crate) args: Value,
}

/// The line of the picture that a bar is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Track {
    /// A host thread, numbered in the order of the threads' first calls.
    Thread(u64),
    /// A stream: the handles of its context and of the stream.
    Stream(usize, usize),
}

/// Returns the file, if one was requested and can be written.
fn file() -> Option<&'static PathBuf> {
    static FILE: OnceLock<Option<PathBuf>> = OnceLock::new();
    FILE.get_or_init(|| {
        let path = lanewise_variables::TRACE.path()?;
        // Reported now, and not after the program has run for an hour.
        if let Err(error) = std::fs::write(&path, "") {
            stderr::print(format_args!(
                "lanewise: LANEWISE_TRACE: `{}` cannot be written: {error}",
                path.display()
            ));
            return None;
        }
        process::at_exit(write);
        Some(path)
    })
    .as_ref()
}

/// Whether the program itself has requested the trace.
static KEPT: AtomicBool = AtomicBool::new(false);

/// Returns whether a trace is being made.
pub(crate) fn on() -> bool {
    KEPT.load(Ordering::Relaxed) || file().is_some()
}

/// Makes a trace from now on, as `LANEWISE_TRACE` does, for [`trace_so_far`]. Call it before
/// the driver starts.
pub fn keep_trace() {
    KEPT.store(true, Ordering::Relaxed);
}

/// Returns the trace up to now, in its format. It contains only what has ended.
pub fn trace_so_far() -> Value {
    sim::finish();
    real::finish();
    document(SPANS.lock().clone())
}

/// Returns the calling thread's number.
fn thread() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    thread_local!(static NUMBER: Cell<u64> = const { Cell::new(0) });
    NUMBER.with(|number| {
        if number.get() == 0 {
            number.set(NEXT.fetch_add(1, Ordering::Relaxed));
        }
        number.get()
    })
}

static SPANS: Mutex<Vec<Span>> = Mutex::new(Vec::new());

/// Writes the file at the end of the process.
extern "C" fn write() {
    // A panic that leaves an exit handler aborts the process. A trace is not worth that.
    let written = std::panic::catch_unwind(|| {
        sim::finish();
        real::finish();
        let spans = std::mem::take(&mut *SPANS.lock());
        let path = file()?;
        std::fs::write(path, document(spans).to_string())
            .err()
            .map(|error| (path, error))
    });
    if let Ok(Some((path, error))) = written {
        stderr::print(format_args!(
            "lanewise: the trace cannot be written to `{}`: {error}",
            path.display()
        ));
    }
}

/// Returns the file's content.
fn document(mut spans: Vec<Span>) -> Value {
    spans.sort_by(|a, b| {
        (a.device, a.track)
            .cmp(&(b.device, b.track))
            .then(a.start.total_cmp(&b.start))
    });
    let mut tracks: BTreeMap<(u32, Track), usize> = BTreeMap::new();
    for span in &spans {
        let next = tracks.len() + 1;
        tracks.entry((span.device, span.track)).or_insert(next);
    }
    let mut events = Vec::with_capacity(spans.len() + tracks.len());
    for (&(device, track), &number) in &tracks {
        let name = match track {
            Track::Thread(thread) => format!("host thread {thread}"),
            Track::Stream(context, stream) => match stream {
                0 | 1 => format!("default stream, context {context:#x}"),
                2 => format!("per-thread stream, context {context:#x}"),
                stream => format!("stream {stream:#x}"),
            },
        };
        events.push(json!({
            "ph": "M", "name": "process_name", "pid": device, "tid": number,
            "args": { "name": format!("device {device}") },
        }));
        events.push(json!({
            "ph": "M", "name": "thread_name", "pid": device, "tid": number, "args": { "name": name },
        }));
    }
    for span in spans {
        events.push(json!({
            "ph": "X", "name": span.name, "cat": span.category, "pid": span.device,
            "tid": tracks.get(&(span.device, span.track)), "ts": span.start, "dur": span.duration, "args": span.args,
        }));
    }
    let clock = match real::is_on() {
        true => "measured",
        false => "modelled",
    };
    json!({
        "traceEvents": events,
        "displayTimeUnit": "ns",
        "otherData": { "program": "lanewise", "time": clock },
    })
}
