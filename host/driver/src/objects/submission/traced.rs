//! The trace's records of operations, if a trace is being made.

use crate::objects::context::{self, Context};
use crate::objects::device;
use crate::objects::graph::Kind;
use crate::objects::stream::Stream;
use crate::objects::stream::work::Work;
use crate::trace::{self, Track, sim};
use serde_json::{Value, json};

pub(crate) use sim::Label;

/// Returns the label of an operation, if a trace is made.
pub(crate) fn label(kind: &Kind) -> Option<Label> {
    if !trace::on() {
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

/// Notes that `work` with this label was submitted to `stream`.
pub(crate) fn submitted(label: Option<Label>, context: &Context, stream: &Stream, work: &Work) {
    if let Some(label) = label {
        let device = (context.device.ordinal as u32, &context.device.timeline);
        let track = Track::Stream(context.handle.0, stream.handle.0);
        sim::submitted(label, device, track, &work.node);
    }
}

/// Returns the device whose time a call of this thread uses: that of the current context,
/// else the first.
pub(crate) fn device_of_call() -> Option<sim::Device> {
    let device = match context::current_even_faulted() {
        Ok(context) => context.device,
        Err(_) => device::all().first()?,
    };
    Some((device.ordinal as u32, &device.timeline))
}
