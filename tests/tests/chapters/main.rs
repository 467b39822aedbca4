//! The catalog's chapters, by the names of the kernels' folders: every pattern against its CPU
//! reference, and what it must show.
//!
//! One program, so the catalog's text is loaded once for all. Streams and several devices have
//! programs of their own.

mod algorithms;
mod basics;
mod cluster;
mod development;
mod execution;
mod instruction;
mod ladders;
mod levels;
mod memory;
mod shared;
mod tensor;
mod warp;
