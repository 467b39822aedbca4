//! Streams: which work waits for which, and which work runs at the same time.
//!
//! The patterns have two parts: [`jobs`], pieces of work with several steps, and [`schedule`], the
//! orders in which their steps can be queued.

pub mod default_stream;
pub mod dependencies;
pub mod host_overlap;
pub mod jobs;
pub mod overlap;
pub mod schedule;
pub mod scheduling;
