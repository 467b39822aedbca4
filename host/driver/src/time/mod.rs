//! Modelled device time: the times that events measure on the simulator.
//!
//! A simulated kernel runs as fast as the host permits. That time is unrelated to a GPU's and
//! differs from run to run. So events do not use a clock. Every operation has a cost that follows
//! from what it did ([`model`]). The costs are laid out on the device's engines in the order in
//! which the program submitted the operations ([`timeline`], [`engine`]). So the same program
//! measures the same times on every machine, and operations overlap where they would on a GPU.

pub(crate) mod engine;
pub(crate) mod model;
pub(crate) mod operation;
mod plan;
pub(crate) mod timeline;

/// Nanoseconds of modelled time, from the first call.
pub(crate) type Nanoseconds = u64;
