//! Memory: the device's own memory, host memory that the device can access, and memory
//! that both share.
//!
//! Begin with [`buffer`]. The other kinds differ in who can access the memory, and for how long:
//! pages that move between host and device ([`managed`]), host pages that stay in place
//! ([`pinned`]), memory from a pool in the order of a stream ([`pool`]), rows with padding
//! ([`pitched`]), memory of other processes ([`ipc`]) and libraries
//! ([`foreign`]), and memory that belongs to a graph while
//! it runs ([`graph_buffer`]).

pub(crate) mod buffer;
mod cast;
pub(crate) mod foreign;
pub(crate) mod graph_buffer;
pub(crate) mod ipc;
pub(crate) mod managed;
pub(crate) mod matrix;
pub(crate) mod part;
pub(crate) mod pattern;
pub(crate) mod pinned;
pub(crate) mod pitched;
pub(crate) mod pool;
mod staged;
mod transfer;
mod vectors;

pub use buffer::{DeviceBuffer, MemoryError};
pub use foreign::Foreign;
pub use graph_buffer::GraphBuffer;
pub use ipc::{IpcBuffer, IpcError, IpcEvent, IpcMemory};
pub use managed::{Advice, ManagedBuffer, MemoryLocation};
pub use matrix::{Matrix, MatrixMut};
pub use part::{Part, View};
pub use pinned::{Mapped, PinnedBuffer, Pinning};
pub use pitched::PitchedBuffer;
pub use pool::{MemoryPool, PoolUsage};
pub use transfer::{CopyTarget, InFlight};
