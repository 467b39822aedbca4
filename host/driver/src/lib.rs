//! The CUDA driver API as symbols: NVIDIA's driver where there is one, the simulator elsewhere.
//!
//! Linking this crate (`use driver as _;` is enough) gives a program every `cu*` symbol that `cust` and other users of the
//! driver API want, with no CUDA installed. At the first call the machine's own `libcuda.so.1` is opened; if it has a device,
//! every call goes there, at the cost of one load and a jump. Otherwise the calls are answered here, by a driver for the
//! simulated GPUs of the `sim` crate. `LANEWISE_DEVICE=cuda` or `sim` makes the choice.
//!
//! | module | what it is |
//! | --- | --- |
//! | [`api`] | the table of entry points; from it come the symbols, the pass-through and [`support`]'s page |
//! | [`abi`] | the API's types as C sees them |
//! | `entry`, `backend`, `libcuda` | from a symbol to who answers it |
//! | `calls` | the simulated calls, one file a section of the driver API reference |
//! | `objects` | what they work on: devices, contexts, streams, events, modules, memory |
//! | `time` | modelled device time, which events measure |
//! | `trace` | `LANEWISE_TRACE`: what was done when, as a picture |
//!
//! What C has no room for is here in Rust: [`last_message`], [`sim_counters`], [`set_checks`] and so on. Settings of the
//! environment: `LANEWISE_LOG` (`off`, `faults`, `errors`, `calls`), and those of `objects::settings`: `LANEWISE_MODEL`,
//! `LANEWISE_SIM_DEVICES`, `LANEWISE_SIM_MEMORY`, `LANEWISE_SEED`, `LANEWISE_BUDGET`. `LANEWISE_TRACE=file.json` writes a trace.

pub mod abi;
pub mod api;
mod backend;
mod calls;
mod entry;
mod error;
mod libcuda;
mod log;
mod objects;
mod output;
pub mod support;
mod time;
mod trace;

pub use backend::{Backend, backend};
pub use entry::EntryPoint;
pub use log::last_message;
pub use objects::memory::set_call_site;
pub use output::{Sink, set_output};
pub use sim::model::{Allowance, Occupancy, Resource};
pub use sim::{Checks, Counters, DeviceModel, Finding};

use objects::{context, settings};

/// The counters of the last launch that ended on this thread's current context; none on a GPU, and none unless
/// [`set_counting`] turned counting on before the launch.
pub fn sim_counters() -> Option<Counters> {
    context::current_even_faulted()
        .ok()?
        .last_launch
        .lock()
        .counters
}

/// What the checks found in the last launch that ended on this thread's current context; see [`set_checks`].
pub fn sim_findings() -> Vec<Finding> {
    context::current_even_faulted()
        .map(|context| context.last_launch.lock().findings.clone())
        .unwrap_or_default()
}

/// Turns counting on or off for the launches that follow. It makes them slower. No effect on a GPU.
pub fn set_counting(count: bool) {
    settings::change_launches(|launches| launches.count = count);
}

/// Chooses what the launches that follow are checked for, besides what is always checked. No effect on a GPU.
pub fn set_checks(checks: Checks) {
    settings::change_launches(|launches| launches.checks = checks);
}

/// Chooses the interleaving of warps of the launches that follow, as `LANEWISE_SEED` does. No effect on a GPU.
pub fn set_seed(seed: u64) {
    settings::change_launches(|launches| launches.seed = seed);
}

/// Sets after how many warp instructions a launch counts as hung, as `LANEWISE_BUDGET` does; none for the default. No
/// effect on a GPU.
pub fn set_budget(budget: Option<u64>) {
    settings::change_launches(|launches| launches.budget = budget);
}
