//! The trace of the simulator. Times are known when the timeline is laid out, so this module keeps
//! only what was done.

use super::{SPANS, Span, Track, on, thread};
use crate::abi::CUresult;
use crate::time::operation::{Moment, Node};
use crate::time::timeline::Timeline;
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Instant;

/// A device: its number, and its timeline of modelled time.
pub(crate) type Device = (u32, &'static Timeline);

/// Something that happened, to be written to the trace.
enum TraceEntry {
    Call {
        device: Device,
        thread: u64,
        name: &'static str,
        code: CUresult,
        before: Moment,
        after: Moment,
        seconds: f64,
    },
    Range {
        device: Device,
        thread: u64,
        name: String,
        before: Moment,
        after: Moment,
    },
    Work {
        device: Device,
        track: Track,
        label: Label,
        node: Arc<Node>,
    },
}

/// The name and category of an operation in the picture.
pub(crate) struct Label {
    pub(crate) name: String,
    pub(crate) category: &'static str,
    pub(crate) args: Value,
}

static ENTRIES: Mutex<Vec<TraceEntry>> = Mutex::new(Vec::new());

/// A call, or a range, that has begun.
#[derive(Debug)]
pub(crate) struct BegunSpan {
    place: Option<(Device, Moment)>,
    at: Instant,
}

/// Notes the beginning of a call, in the time of this device, if a trace is made.
pub(crate) fn begin(device: fn() -> Option<Device>) -> Option<BegunSpan> {
    on().then(|| BegunSpan {
        place: device().map(|device| (device, device.1.place())),
        at: Instant::now(),
    })
}

impl BegunSpan {
    /// Notes the end of the call.
    pub(crate) fn end(self, name: &'static str, code: CUresult) {
        let seconds = self.at.elapsed().as_secs_f64();
        let Some((device, before)) = self.place else {
            return;
        };
        let after = device.1.place();
        ENTRIES.lock().push(TraceEntry::Call {
            device,
            thread: thread(),
            name,
            code,
            before,
            after,
            seconds,
        });
    }
}

impl BegunSpan {
    /// Notes the end of a range.
    pub(crate) fn end_range(self, name: String) {
        if let Some((device, before)) = self.place {
            ENTRIES.lock().push(TraceEntry::Range {
                device,
                thread: thread(),
                name,
                before,
                after: device.1.place(),
            });
        }
    }
}

/// Notes that work of this label was submitted to a stream, with its place in modelled time.
pub(crate) fn submitted(label: Label, device: Device, stream: Track, node: &Arc<Node>) {
    ENTRIES.lock().push(TraceEntry::Work {
        device,
        track: stream,
        label,
        node: node.clone(),
    });
}

/// Turns everything that has ended into bars.
pub(super) fn finish() {
    let entries = std::mem::take(&mut *ENTRIES.lock());
    let spans = entries.into_iter().filter_map(|entry| match entry {
        TraceEntry::Call {
            device,
            thread,
            name,
            code,
            before,
            after,
            seconds,
        } => {
            let (start, end) = (device.1.moment(&before)?, device.1.moment(&after)?);
            Some(Span {
                device: device.0,
                track: Track::Thread(thread),
                name: name.into(),
                category: "call",
                start: microseconds(start),
                duration: microseconds(end.saturating_sub(start)),
                args: json!({ "result": format!("{code:?}"), "real_microseconds": seconds * 1e6 }),
            })
        }
        TraceEntry::Range {
            device,
            thread,
            name,
            before,
            after,
        } => {
            let (start, end) = (device.1.moment(&before)?, device.1.moment(&after)?);
            Some(Span {
                device: device.0,
                track: Track::Thread(thread),
                name,
                category: "range",
                start: microseconds(start),
                duration: microseconds(end.saturating_sub(start)),
                args: Value::Null,
            })
        }
        TraceEntry::Work {
            device,
            track,
            label,
            node,
        } => {
            let end = device.1.end(&node)?;
            let duration = node.duration();
            Some(Span {
                device: device.0,
                track,
                name: label.name,
                category: label.category,
                start: microseconds(end.saturating_sub(duration)),
                duration: microseconds(duration),
                args: label.args,
            })
        }
    });
    SPANS.lock().extend(spans);
}

fn microseconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 1e3
}
