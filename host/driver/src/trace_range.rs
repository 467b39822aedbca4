//! Ranges in the trace that the program names itself.

use crate::backend::{Backend, backend};
use crate::objects::submission::traced;
use crate::trace::{self, real, sim};
use std::time::Duration;

/// A range of the program in a trace. It is shown on its thread's track, from its creation
/// to its drop.
#[derive(Debug)]
#[must_use = "dropped at once, it lasts no time"]
pub struct TraceRange {
    name: String,
    simulated: Option<sim::BegunSpan>,
    measured: Option<Duration>,
}

impl TraceRange {
    /// Begins a range now. It does nothing if no trace is made.
    pub fn begin(name: &str) -> TraceRange {
        let simulated = backend() == Some(Backend::Sim);
        TraceRange {
            name: if trace::on() {
                name.into()
            } else {
                String::new()
            },
            simulated: simulated
                .then(|| sim::begin(traced::device_of_call))
                .flatten(),
            measured: real::is_on().then(real::now),
        }
    }
}

impl Drop for TraceRange {
    fn drop(&mut self) {
        let name = std::mem::take(&mut self.name);
        if let Some(begun) = self.simulated.take() {
            begun.end_range(name);
        } else if let Some(start) = self.measured {
            real::range(name, start);
        }
    }
}
