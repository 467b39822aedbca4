//! Graphs: work that is recorded once and launched any number of times, each time at the cost
//! of one launch.
//!
//! [`Device::record`](crate::Device::record) records launches, copies and memsets instead of
//! queueing them, one after another. [`ExecutableGraph::launch`] queues them all. So many small
//! kernels cost the host no more than one launch.
//!
//! ```
//! use kernels::vec_add;
//! use lanewise::{Device, DeviceBuffer, LaunchConfig};
//!
//! let device = Device::open()?;
//! let stream = device.stream()?;
//! let one = DeviceBuffer::from_slice(&device, &[1.0f32; 100])?;
//! let (mut sum, mut next) = (DeviceBuffer::zeroed(&device, 100)?, DeviceBuffer::zeroed(&device, 100)?);
//!
//! let graph = device.record(|record| {
//!     record.launch(vec_add, LaunchConfig::for_num_elems(100), (&sum, &one, &mut next))?;
//!     record.copy(&next, &mut sum)
//! })?;
//! for _ in 0..5 {
//!     graph.launch(&stream)?;
//! }
//! assert_eq!(sum.to_vec()?, [5.0; 100]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A graph contains the addresses of the buffers that it was recorded with. It does not borrow
//! them, because a program needs to read and write them between launches. Instead each launch keeps
//! order with the other uses of each buffer, as a kernel's launch does. After one of the buffers
//! was dropped, launches and all other uses of the graph are refused: [`GraphError::BufferIsGone`].
//! Memory that a graph cannot track cannot be recorded: parts and views of buffers, managed and
//! mapped memory, textures.
//!
//! [`Device::build_graph`](crate::Device::build_graph) builds a graph node by node instead, with
//! dependencies, so that independent nodes may run side by side; see [`GraphBuilder`]. The result
//! is a [`Graph`], which can be inspected, extended, put into another graph, and made
//! executable. Kernels may decide which nodes of a graph run next: [`GraphBuilder::condition`].
//!
//! Source: CUDA C++ Programming Guide, "CUDA Graphs"; CUDA driver API, "Graph Management".

mod builder;
mod error;
mod executable;
mod node;
mod record;
mod template;
mod uses;

pub use builder::{ConditionSetter, GraphBuilder, GraphCondition, GraphMemory};
pub use error::{GraphError, UpdateReason};
pub use executable::ExecutableGraph;
pub use node::{KernelNode, Node};
pub use record::Record;
pub use template::Graph;
pub use uses::{Recordable, RecordableAll};
