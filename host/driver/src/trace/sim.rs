//! The trace of the simulator: when things were is known once the timeline is laid out, so only what they were is kept here.

use super::{SPANS, Span, Track, on, thread};
use crate::abi::CUresult;
use crate::objects::context::{self, Context};
use crate::objects::device::{self, Device};
use crate::objects::graph::Kind;
use crate::objects::stream::Stream;
use crate::objects::work::Work;
use crate::time::timeline::{Moment, Node};
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Instant;

/// What happened.
enum Entry {
    Call {
        device: &'static Device,
        thread: u64,
        name: &'static str,
        code: CUresult,
        before: Moment,
        after: Moment,
        seconds: f64,
    },
    Range {
        device: &'static Device,
        thread: u64,
        name: String,
        before: Moment,
        after: Moment,
    },
    Work {
        device: &'static Device,
        track: Track,
        label: Label,
        node: Arc<Node>,
    },
}

/// What an operation is called in the picture.
pub(crate) struct Label {
    name: String,
    category: &'static str,
    args: Value,
}

static ENTRIES: Mutex<Vec<Entry>> = Mutex::new(Vec::new());

/// A call, or a range, that has begun.
#[derive(Debug)]
pub(crate) struct Begun {
    place: Option<(&'static Device, Moment)>,
    at: Instant,
}

/// The device whose time a call of this thread is in: that of the current context, else the first.
fn place() -> Option<(&'static Device, Moment)> {
    let device = match context::current_even_faulted() {
        Ok(context) => context.device,
        Err(_) => device::all().first()?,
    };
    Some((device, device.timeline.place()))
}

/// Notes the beginning of a call, if a trace is made.
pub(crate) fn begin() -> Option<Begun> {
    on().then(|| Begun {
        place: place(),
        at: Instant::now(),
    })
}

impl Begun {
    /// Notes the end of the call.
    pub(crate) fn end(self, name: &'static str, code: CUresult) {
        let seconds = self.at.elapsed().as_secs_f64();
        let Some((device, before)) = self.place else {
            return;
        };
        let after = device.timeline.place();
        ENTRIES.lock().push(Entry::Call {
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

impl Begun {
    /// Notes the end of a range.
    pub(super) fn end_range(self, name: String) {
        if let Some((device, before)) = self.place {
            ENTRIES.lock().push(Entry::Range {
                device,
                thread: thread(),
                name,
                before,
                after: device.timeline.place(),
            });
        }
    }
}

impl Label {
    /// The label of an operation, if a trace is made.
    pub(crate) fn of(kind: &Kind) -> Option<Label> {
        if !on() {
            return None;
        }
        let (category, args) = match kind {
            Kind::Kernel(launch) => (
                "kernel",
                json!({
                    "grid": launch.shape.grid, "block": launch.shape.block, "dynamic_shared": launch.shape.shared,
                    "registers": launch.function.kernel.registers,
                }),
            ),
            Kind::Copy(copy) => ("copy", json!({ "bytes": copy.bytes })),
            Kind::Set(set) => ("set", json!({ "bytes": set.bytes })),
            Kind::Host(_) => ("host", Value::Null),
            // These take no time.
            _ => return None,
        };
        Some(Label {
            name: kind.label(),
            category,
            args,
        })
    }
}

/// Notes that `work`, of this label, was submitted to `stream`.
pub(crate) fn submitted(label: Option<Label>, context: &Context, stream: &Stream, work: &Work) {
    if let Some(label) = label {
        ENTRIES.lock().push(Entry::Work {
            device: context.device,
            track: Track::Stream(context.handle.0, stream.handle.0),
            label,
            node: work.node.clone(),
        });
    }
}

/// Turns all that has ended into bars.
pub(super) fn finish() {
    let entries = std::mem::take(&mut *ENTRIES.lock());
    let spans = entries.into_iter().filter_map(|entry| match entry {
        Entry::Call {
            device,
            thread,
            name,
            code,
            before,
            after,
            seconds,
        } => {
            let (start, end) = (
                device.timeline.moment(&before)?,
                device.timeline.moment(&after)?,
            );
            Some(Span {
                device: device.ordinal as u32,
                track: Track::Thread(thread),
                name: name.into(),
                category: "call",
                start: microseconds(start),
                duration: microseconds(end.saturating_sub(start)),
                args: json!({ "result": format!("{code:?}"), "real_microseconds": seconds * 1e6 }),
            })
        }
        Entry::Range {
            device,
            thread,
            name,
            before,
            after,
        } => {
            let (start, end) = (
                device.timeline.moment(&before)?,
                device.timeline.moment(&after)?,
            );
            Some(Span {
                device: device.ordinal as u32,
                track: Track::Thread(thread),
                name,
                category: "range",
                start: microseconds(start),
                duration: microseconds(end.saturating_sub(start)),
                args: Value::Null,
            })
        }
        Entry::Work {
            device,
            track,
            label,
            node,
        } => {
            let end = device.timeline.end(&node)?;
            let duration = node.duration();
            Some(Span {
                device: device.ordinal as u32,
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
