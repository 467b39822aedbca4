//! The library alone, with the example's kernels: what needs no catalog.

mod buffer;
mod cells;
mod modules;
mod stream;
mod timer;
