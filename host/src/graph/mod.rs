//! Graphs: work that is recorded once and launched as often as wanted, for the price of one launch.
//!
//! [`Device::record`](crate::Device::record) takes down launches, copies and memsets instead of queueing them; each comes after the one before. [`Graph::launch`] queues
//! them all. A launch of many small kernels then costs the host what one costs.
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
//! A graph knows the addresses of the buffers that it was recorded with. It does not borrow them, since a program wants to read and write them
//! between its launches; instead each launch takes its turn with the other uses of each buffer, as a kernel's launch does, and a launch after one
//! of them was dropped is refused, and so is whatever else is made of the graph: [`GraphError::BufferIsGone`]. What it can't watch over can't be recorded: parts and views of buffers, managed
//! and mapped memory, textures.
//!
//! [`Device::build_graph`](crate::Device::build_graph) builds a graph node by node instead, with dependencies: what may run side by side does. That makes a [`GraphTemplate`], to be
//! looked at, extended, put into another graph, and made executable: [`GraphBuilder`]. Kernels may say how it goes on: [`GraphBuilder::condition`].
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
pub use executable::Graph;
pub use node::{KernelNode, Node};
pub use record::Record;
pub use template::GraphTemplate;
pub use uses::{Recordable, RecordableAll};
