//! The host side: devices, memory, streams, graphs, and launches whose arguments
//! the compiler checks.
//!
//! Devices are opened once for the process; launches do not compile with wrong arguments; buffers
//! of any length keep their uses on different streams in order; and errors have CUDA's name for
//! the failure, the driver's own message, and the line of your code. A program may use `cust`
//! beside this crate, on the same device: see [`Device::cust`] and [`Stream::raw`].
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
//! stream.launch(vec_add, LaunchConfig::for_num_elems(3), (&a, &b, &mut c))?;
//! assert_eq!(c.to_vec()?, [11.0, 22.0, 33.0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

// Messages go through `lanewise_driver::print_to_stderr`, which does not panic if the stream
// is closed.
#![deny(clippy::print_stderr)]
#![cfg_attr(not(test), deny(clippy::print_stdout))]

mod array;
pub mod checks;
pub mod counters;
mod device;
mod error;
mod errors;
mod graph;
mod interop;
mod journal;
mod l2;
mod late;
mod launch;
mod memory;
mod multicast;
mod stream;
mod surface;
pub mod tensor_map;
pub mod testing;
pub mod texture;
mod threads;
pub mod trace;

pub use bytemuck::{Pod, Zeroable};
pub use device::{
    Compiled, ComputeCapability, Device, DeviceProperties, DeviceSymbol, Image, JitOptions, Linker,
    LoadCache, LoadError, Module, OpenError, SymbolError,
};
pub use error::DriverError;
pub use errors::Error;
pub use graph::{
    ConditionSetter, ExecutableGraph, Graph, GraphBuilder, GraphCondition, GraphError, GraphMemory,
    KernelNode, Node, Record, Recordable, RecordableAll, UpdateReason,
};
pub use interop::DeviceCopy;
pub use l2::L2Window;
pub use lanewise_driver::{Backend, simulate_devices};
pub use launch::{
    Argument, ArgumentList, Arguments, Dim3, LaunchConfig, LaunchError, guidelines, occupancy,
};
pub use memory::{
    Advice, CopyTarget, DeviceBuffer, Foreign, GraphBuffer, InFlight, IpcBuffer, IpcError,
    IpcEvent, IpcMemory, ManagedBuffer, Mapped, Matrix, MatrixMut, MemoryError, MemoryLocation,
    MemoryPool, Part, PinnedBuffer, Pinning, PitchedBuffer, PoolUsage, View,
};
pub use multicast::MulticastBuffer;
pub use stream::{
    Clock, Event, EventClock, EventOptions, Finished, Stream, StreamOptions, StreamPriorities,
    Timer, WallClock,
};
pub use surface::Surface;
pub use texture::Texture;
pub use threads::in_threads;
