//! Figures of the simulator: which instructions it runs, and how fast it is.
//!
//! The book, the commands and the tests use them. Programs that run kernels do not, so they are
//! not part of the simulator.

pub mod coverage;
pub mod speed;
