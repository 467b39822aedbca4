//! Names for parts of a program in its trace.
//!
//! With `LANEWISE_TRACE=trace.json` any program writes a trace of its work on the driver (see the
//! book, "Traces"). A [`range`] gives a part of the program a name in the trace, as NVTX's ranges
//! do for NVIDIA's tools.

pub use lanewise_driver::{keep_trace as keep, trace_so_far as so_far};

/// Runs `work`. A trace shows it as a bar with this name on the calling thread's track.
pub fn range<T>(name: &str, work: impl FnOnce() -> T) -> T {
    let _range = lanewise_driver::TraceRange::begin(name);
    work()
}
