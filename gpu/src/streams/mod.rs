//! Streams: kernels that make something to overlap.

pub mod advance;
