//! A simulated GPU: it loads PTX, runs it, and reports what goes wrong.
//!
//! The crate does not contain CUDA's API. The `driver` crate implements that API on top of this
//! one. The modules, in the order in which a kernel passes through them:
//!
//! | module | what it is |
//! | --- | --- |
//! | [`model`] | device models as data: limits, sizes, banks, with the source of each figure |
//! | `platform` | what the operating system does: addresses, pages, time |
//! | [`memory`] | device memory inside a reserved range of host addresses; which allocations are live, which were freed |
//! | [`image`] | textures and surfaces: shapes, formats, samplers, handles |
//! | [`module`] | loads PTX: text -> syntax tree (both by the crate `lanewise-ptx`) -> checked, linked and lowered |
//! | `decode` | syntax tree -> numbered registers and typed micro-operations |
//! | [`device`], [`launch`] | a device with its memory; what a launch asks for, and its result |
//! | `machine` | warps, blocks and grids running those operations |
//! | `semantics` | what each instruction computes, as functions on values |
//! | [`Schedule`], [`Exploration`] | which thread runs next at an access to memory; all schedules of a small program |
//! | [`checks`], [`counters`] | what a launch can check and count |
//! | [`report`] | the reports of launches that fail |
//!
//! ```no_run
//! use lanewise_sim::{Device, DeviceModel, AllocationKind, Launch, Module};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let device = Device::new(DeviceModel::h200())?;
//! let module = Module::load("/* PTX */")?;
//! let instance = device.instantiate(&module)?;
//! let out = device.memory().allocate(4096, 4, AllocationKind::Device, None)?;
//! let params = out.to_le_bytes();
//! device.launch(&instance, &Launch::new("fill", [8, 1, 1], [128, 1, 1], &params))?;
//! # Ok(()) }
//! ```
//!
//! For a program without races, a launch with one seed gives the same result on any number
//! of host cores.

// A stream that cannot be written must not end the program; the driver prints what there is to say.
#![deny(clippy::print_stderr)]
#![cfg_attr(not(test), deny(clippy::print_stdout))]

pub mod checks;
pub mod counters;
mod decode;
pub mod device;
mod exploration;
pub mod image;
mod kernel;
pub mod launch;
mod load_error;
mod machine;
pub mod memory;
pub mod model;
pub mod module;
mod platform;
pub mod report;
mod schedule;
mod semantics;

pub use lanewise_ptx as ptx;
pub use lanewise_ptx::isa;

pub use checks::{Checks, Finding};
pub use counters::{Counters, metrics::Metric};
pub use device::{Device, DeviceError, Instance, InstantiateError};
pub use exploration::Exploration;
pub use image::Images;
pub use kernel::{Kernel, Param};
pub use launch::outside::{Outside, Waiting};
pub use launch::recording::{RecordLimits, Recording};
pub use launch::{BankWidth, ExecutionSummary, Launch, Report};
pub use load_error::LoadError;
pub use memory::{Allocation, AllocationKind, Memory, MemoryError};
pub use model::DeviceModel;
pub use module::Module;
pub use platform::SharedFile;
pub use report::{Fault, FaultReport, LaunchError, Place, SourcePlace};
pub use schedule::{Schedule, Strategy, UnknownSchedule};
pub use semantics::tensor;
