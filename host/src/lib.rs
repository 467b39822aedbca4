//! Loads modules, launches kernels with arguments checked by the compiler, moves memory, times.
//!
//! Built on `cust`, whose context and memory types are used and can be reached; what is added is a device
//! that is opened once, launches that do not compile with wrong arguments, buffers of any length that keep order between
//! streams, and errors that say what CUDA calls it, what the driver knows and on which line of yours it happened.
//!
//! ```
//! use kernels::vec_add;
//! use lanewise::{Device, DeviceBuffer, LaunchConfig};
//!
//! let device = Device::open()?; // a GPU if there is one, else the simulator
//! let stream = device.stream()?;
//! let a = DeviceBuffer::from_slice(&device, &[1.0f32, 2.0, 3.0])?;
//! let b = DeviceBuffer::from_slice(&device, &[10.0f32, 20.0, 30.0])?;
//! let mut c = DeviceBuffer::<f32>::zeroed(&device, 3)?;
//!
//! device.launch(&stream, vec_add, LaunchConfig::for_num_elems(3), (&a, &b, &mut c))?;
//! assert_eq!(c.to_vec()?, [11.0, 22.0, 33.0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod argument;
mod buffer;
pub mod checks;
mod cluster;
pub mod compare;
mod config;
pub mod counters;
mod device;
mod device_runtime;
mod embedded;
mod error;
mod event;
mod finished;
mod graph;
mod graph_buffer;
pub mod guidelines;
mod ipc;
mod jit;
mod journal;
mod l2;
mod launch;
mod link;
mod managed;
mod module;
mod multicast;
pub mod occupancy;
mod order;
mod part;
mod peer;
mod pinned;
mod pitched;
mod properties;
mod ptx_folder;
mod recording;
mod stream;
mod symbol;
pub mod tensor_map;
pub mod texture;
mod threads;
mod timer;
mod toolkit;
pub mod trace;
mod transfer;
pub mod ulp;

pub use argument::{Argument, ArgumentList, Arguments};
pub use buffer::{DeviceBuffer, MemoryError};
pub use config::{Dim3, LaunchConfig};
pub use cust::memory::DeviceCopy;
pub use device::{Device, OpenError};
pub use error::DriverError;
pub use event::{Event, EventOptions};
pub use finished::Finished;
pub use graph::{
    ConditionSetter, Graph, GraphBuilder, GraphCondition, GraphError, GraphMemory, GraphTemplate,
    KernelNode, Node, Record, Recordable, RecordableAll, UpdateReason,
};
pub use graph_buffer::GraphBuffer;
pub use ipc::{IpcBuffer, IpcError, IpcEvent, IpcMemory};
pub use jit::{JitOptions, LoadCache};
pub use l2::L2Window;
pub use lanewise_driver::Backend;
pub use launch::LaunchError;
pub use link::{Image, Linker};
pub use managed::{Advice, ManagedBuffer, Place};
pub use module::{Compiled, LoadError, Module};
pub use multicast::MulticastBuffer;
pub use part::{Part, View};
pub use pinned::{Mapped, PinnedBuffer, Pinning};
pub use pitched::PitchedBuffer;
pub use properties::{ComputeCapability, DeviceProperties};
pub use stream::{Stream, StreamOptions, StreamPriorities};
pub use symbol::{DeviceSymbol, SymbolError};
pub use texture::Texture;
pub use threads::in_threads;
pub use timer::{Clock, Elapsed, EventClock, TimeUnit, Timer, WallClock};
pub use transfer::{CopyTarget, InFlight};
