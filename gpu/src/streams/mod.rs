//! Streams: kernels whose time can overlap with copies.

pub mod advance;
