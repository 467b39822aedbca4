//! Nodes that copy and fill memory.

use std::panic::Location;

use bytemuck::{Pod, Zeroable};
use lanewise_driver::abi::enums::memory_type;
use lanewise_driver::abi::{CUDA_MEMCPY3D, CUDA_MEMSET_NODE_PARAMS, Side3D};
use lanewise_driver::api;

use super::{GraphBuilder, NewNode};
use crate::graph::error::GraphError;
use crate::graph::node::Node;
use crate::memory::pattern::Pattern;
use crate::stream::order::Access;
use crate::{DeviceBuffer, DeviceCopy, GraphBuffer, MemoryError};

/// Memory that a node of a graph may copy or fill: a whole device buffer, or memory that
/// the graph allocates.
pub trait GraphMemory<T: DeviceCopy>: sealed::GraphMemory<T> {}
impl<T: DeviceCopy> GraphMemory<T> for DeviceBuffer<T> {}
impl<T: DeviceCopy> GraphMemory<T> for GraphBuffer<'_, T> {}

mod sealed {
    use super::{DeviceBuffer, DeviceCopy, GraphBuffer};

    pub trait GraphMemory<T: DeviceCopy> {
        fn buffer(&self) -> &DeviceBuffer<T>;
    }

    impl<T: DeviceCopy> GraphMemory<T> for DeviceBuffer<T> {
        fn buffer(&self) -> &DeviceBuffer<T> {
            self
        }
    }

    impl<T: DeviceCopy> GraphMemory<T> for GraphBuffer<'_, T> {
        fn buffer(&self) -> &DeviceBuffer<T> {
            self
        }
    }
}

impl<'graph> GraphBuilder<'graph> {
    /// Adds a copy from one buffer to another.
    ///
    /// # Errors
    /// [`MemoryError::LengthMismatch`]; [`GraphError::NotWhole`]; the driver's error.
    #[track_caller]
    pub fn copy<T: DeviceCopy>(
        &mut self,
        after: &[Node<'graph>],
        from: &impl GraphMemory<T>,
        to: &mut impl GraphMemory<T>,
    ) -> Result<Node<'graph>, GraphError> {
        let at = Location::caller();
        let (from, to) = (from.buffer(), to.buffer());
        if from.len() != to.len() {
            let (buffer, host) = (to.len(), from.len());
            return Err(MemoryError::LengthMismatch { buffer, host, at }.into());
        }
        let new = NewNode {
            what: format!("the copy at {at}"),
            uses: vec![
                self.uses(from, Access::Read)?,
                self.uses(to, Access::Write)?,
            ],
            ..NewNode::plain("a copy")
        };
        let bytes = from.len() * size_of::<T>();
        if bytes == 0 {
            return self.add_empty(after, new, at);
        }
        let params = CUDA_MEMCPY3D {
            src: side(from.address(), bytes),
            dst: side(to.address(), bytes),
            width_in_bytes: bytes,
            height: 1,
            depth: 1,
        };
        let (context, call) = (self.context(), ("cuGraphAddMemcpyNode", at));
        Ok(self.add(after, new, call, |node, graph, after, count| {
            // SAFETY: `node` is valid for a write, the graph is live, and `after` points to `count`
            // of its nodes. Both sides of the copy have this many bytes, and the graph is not
            // launched after one of them is freed.
            unsafe { api::cuGraphAddMemcpyNode(node, graph, after, count, &params, context) }
        })?)
    }

    /// Adds a node that sets every byte of a buffer to zero.
    ///
    /// # Errors
    /// [`GraphError::NotWhole`]; the driver's error.
    #[track_caller]
    pub fn fill_zero<T: DeviceCopy + Zeroable>(
        &mut self,
        after: &[Node<'graph>],
        buffer: &mut impl GraphMemory<T>,
    ) -> Result<Node<'graph>, GraphError> {
        let buffer = buffer.buffer();
        // The driver takes rows of elements; a buffer is one row.
        let bytes = buffer.len() * size_of::<T>();
        self.set(after, buffer, (0, 1, bytes), Location::caller())
    }

    /// Adds a node that sets every element of a buffer to `value`. Elements have 1, 2 or 4 bytes.
    ///
    /// # Errors
    /// As [`Self::fill_zero`].
    #[track_caller]
    pub fn fill<T: DeviceCopy + Pod>(
        &mut self,
        after: &[Node<'graph>],
        buffer: &mut impl GraphMemory<T>,
        value: T,
    ) -> Result<Node<'graph>, GraphError> {
        let pattern = Pattern::of(value);
        let buffer = buffer.buffer();
        let width = buffer.len();
        self.set(
            after,
            buffer,
            (pattern.bits, pattern.bytes, width),
            Location::caller(),
        )
    }

    pub(super) fn set<T: DeviceCopy>(
        &mut self,
        after: &[Node<'graph>],
        buffer: &DeviceBuffer<T>,
        (value, element_size, width): (u32, u32, usize),
        at: &'static Location<'static>,
    ) -> Result<Node<'graph>, GraphError> {
        let new = NewNode {
            what: format!("the fill at {at}"),
            uses: vec![self.uses(buffer, Access::Write)?],
            ..NewNode::plain("a fill")
        };
        if width == 0 {
            return self.add_empty(after, new, at);
        }
        let params = CUDA_MEMSET_NODE_PARAMS {
            dst: buffer.address(),
            pitch: width * element_size as usize,
            value,
            element_size,
            width,
            height: 1,
        };
        let (context, call) = (self.context(), ("cuGraphAddMemsetNode", at));
        Ok(self.add(after, new, call, |node, graph, after, count| {
            let params = (&raw const params).cast();
            // SAFETY: `node` is valid for a write, the graph is live, and `after` points to `count`
            // of its nodes. The buffer has this many elements of this size, and the graph is not
            // launched after it is freed. The callers ensure that its elements may have any bytes,
            // or may be all zeros.
            unsafe { api::cuGraphAddMemsetNode(node, graph, after, count, params, context) }
        })?)
    }
}

/// One end of a copy: contiguous bytes on the device.
fn side(device: u64, bytes: usize) -> Side3D {
    Side3D {
        memory_type: memory_type::DEVICE,
        device,
        pitch: bytes,
        height: 1,
        ..Side3D::NONE
    }
}
