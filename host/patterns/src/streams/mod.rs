//! Streams: who waits for whom, and what runs beside what.
//!
//! The patterns are made of two things: [`jobs`], pieces of work of several steps, and
//! [`schedule`], the orders in which their steps can be queued.

pub mod default_stream;
pub mod dependencies;
pub mod host_overlap;
pub mod jobs;
pub mod overlap;
pub mod schedule;
pub mod scheduling;
