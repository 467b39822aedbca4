//! Names for pieces of a program in its trace.
//!
//! `LANEWISE_TRACE=trace.json` has any program leave a picture of what it made the driver do (see
//! the book, "Traces"). A [`range`] gives a piece of it a name there, as NVTX's ranges do for
//! NVIDIA's tools.

pub use lanewise_driver::{keep_trace as keep, trace_so_far as so_far};

/// Does `work`; a trace shows it on the calling thread's track as a bar of this name.
pub fn range<T>(name: &str, work: impl FnOnce() -> T) -> T {
    let _range = lanewise_driver::TraceRange::begin(name);
    work()
}
