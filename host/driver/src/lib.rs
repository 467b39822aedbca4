//! The CUDA driver API as symbols: NVIDIA's driver if the machine has one, else the simulator.
//!
//! Linking this crate (`use lanewise_driver as _;` is enough) gives a program every `cu*` symbol
//! that `cust` and other users of the driver API need, without an installed CUDA. The first call
//! opens the machine's own `libcuda.so.1`. If that driver has a device, every call goes to it, at
//! the cost of one load and one call. Otherwise this crate executes the calls itself, as a driver
//! for the simulated GPUs of the `sim` crate. `LANEWISE_DEVICE=cuda` or `sim` overrides the choice.
//!
//! | module | what it is |
//! | --- | --- |
//! | [`api`] | the table of entry points; from it come the symbols, the pass-through and [`support`]'s page |
//! | [`abi`] | the API's types as C sees them |
//! | `entry`, `entry_point`, `backend`, `libcuda` | the way from a symbol to the driver that executes it |
//! | `calls` | the simulated calls, one file for each section of the driver API reference |
//! | `objects` | what the calls work on: devices, contexts, streams, events, modules, memory; it does not use `calls` |
//! | `settings`, `observe` | the settings of the environment and of the program: devices, checks, counters, seeds |
//! | [`control`] | two C functions for harnesses in other languages: the seed, and the summary so far |
//! | `time` | modelled device time, which events measure |
//! | `platform` | what the operating system does: the driver's library, pages, processes, threads |
//! | `quiescence` | whether anything in the process can still release a kernel that spins |
//! | `trace` | `LANEWISE_TRACE`: a timeline of the program's calls and operations |
//!
//! The Rust items offer what the C API has no room for: [`last_message`], [`last_code`], and
//! [`Observer`], which counts and checks launches. The environment variables that are read are
//! rows of [`lanewise_variables`].

// A stream that cannot be written must not end the program: see `stderr` and `output`.
#![deny(clippy::print_stderr)]
#![cfg_attr(not(test), deny(clippy::print_stdout))]

pub mod abi;
pub mod api;
mod at_end;
mod backend;
mod calling;
mod calls;
pub mod control;
#[doc(hidden)]
pub mod drop_in;
mod entry;
mod entry_point;
mod error;
mod fork;
mod inside;
mod libcuda;
mod log;
mod objects;
mod observe;
mod output;
mod panics;
mod platform;
mod quiescence;
mod record;
mod settings;
mod summary;
mod table;
/// The checks of a launch's shape: what a device and a kernel allow of a grid, a block, a cluster
/// and shared memory.
pub mod launch_limits {
    pub use lanewise_sim::launch::limits::{Target, check_shape};
    pub use lanewise_sim::model::Limits;
    pub use lanewise_sim::{Kernel, Launch, LaunchError};
}
mod stderr;
pub mod support;
mod time;
mod trace;
mod trace_range;

pub use at_end::leak::{keep_module, kept};
pub use backend::{Backend, backend};
pub use calling::set_call_site;
pub use entry::last_code;
pub use entry_point::{EntryPoint, PerThread};
pub use fork::{Fork, Forked};
pub use lanewise_sim::checks::{FindingKind, UnknownCheck};
pub use lanewise_sim::counters::profilers;
pub use lanewise_sim::model::{Allowance, Occupancy, Resource};
pub use lanewise_sim::tensor;
pub use lanewise_sim::{Checks, Counters, DeviceModel, Exploration, Finding, Metric};
pub use lanewise_sim::{Schedule, Strategy, UnknownSchedule};
pub use log::last_message;
pub use objects::attributes::device_attribute;

pub use observe::{LaunchOverrides, Observed, Observer};
pub use output::{Sink, set_output};
pub use settings::{OnFinding, simulate_devices};
pub use stderr::print as print_to_stderr;
pub use table::table;
pub use trace::{keep_trace, trace_so_far};
pub use trace_range::TraceRange;
