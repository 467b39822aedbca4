//! Modelled device time: what events measure on the simulator.
//!
//! A simulated kernel runs as fast as the host lets it, which says nothing about a GPU and differs
//! from run to run. So events do not look at a clock. Every operation has a cost that follows from
//! what it did ([`model`]), and the costs are laid out on the device's engines in the order in
//! which the program submitted them ([`timeline`], [`engine`]). The same program therefore measures
//! the same times on every machine, and overlap shows where a GPU would have it.

pub(crate) mod engine;
pub(crate) mod model;
pub(crate) mod operation;
mod plan;
pub(crate) mod timeline;

/// Nanoseconds of modelled time, from the first call.
pub(crate) type Nanoseconds = u64;
