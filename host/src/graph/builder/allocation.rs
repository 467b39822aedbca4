//! Memory that a graph allocates and frees itself, at each launch.

use std::panic::Location;
use std::ptr::null_mut;

use bytemuck::Zeroable;
use lanewise_driver::abi::enums::{memory_allocation, memory_location};
use lanewise_driver::abi::{CUDA_MEM_ALLOC_NODE_PARAMS, CUmemLocation, CUmemPoolProps, CUresult};
use lanewise_driver::api;

use super::{GraphBuilder, NewNode};
use crate::graph::error::GraphError;
use crate::graph::node::Node;
use crate::graph::uses::Used;
use crate::stream::order::Access;
use crate::{DeviceBuffer, DeviceCopy, DriverError, GraphBuffer};

impl<'graph> GraphBuilder<'graph> {
    /// Adds an allocation of `len` elements. Each launch of the graph allocates and zeroes it, and
    /// frees it after the last node that uses it, or at the node that [`Self::free`] adds.
    ///
    /// A graph with an allocation can't be cloned, be part of another graph, or have two executable
    /// graphs at a time.
    ///
    /// # Errors
    /// The driver's error.
    #[track_caller]
    pub fn allocate<T: DeviceCopy + Zeroable>(
        &mut self,
        after: &[Node<'graph>],
        len: usize,
    ) -> Result<GraphBuffer<'graph, T>, GraphError> {
        self.not_in_body("memory of a graph's own")?;
        let at = Location::caller();
        let Some(bytes) = len.checked_mul(size_of::<T>()) else {
            let code = CUresult::ERROR_OUT_OF_MEMORY;
            DriverError::check("cuGraphAddMemAllocNode", code, at)?;
            return Err(GraphError::NotWhole);
        };
        let device = self.device.number();
        let mut params = CUDA_MEM_ALLOC_NODE_PARAMS {
            pool_props: CUmemPoolProps {
                allocation_kind: memory_allocation::PINNED, // the only one
                handle_types: 0,
                location: CUmemLocation {
                    kind: memory_location::DEVICE,
                    id: device,
                },
                win32_security_attributes: null_mut(),
                max_size: 0,
                usage: 0,
                reserved: [0; 54],
            },
            access_descs: std::ptr::null(),
            access_desc_count: 0,
            bytesize: bytes.max(1),
            dptr: 0,
        };
        let new = NewNode {
            what: format!("the allocation at {at}"),
            ..NewNode::plain("an allocation")
        };
        let call = ("cuGraphAddMemAllocNode", at);
        let allocated = self.add(after, new, call, |node, graph, after, count| {
            let params = (&raw mut params).cast();
            // SAFETY: `node` is valid for a write, the graph is live, and `after` points to `count`
            // of its nodes. The driver writes the address to `params`.
            unsafe { api::cuGraphAddMemAllocNode(node, graph, after, count, params) }
        })?;
        // SAFETY: every node that uses the memory runs after the node that fills it with zeros, and
        // before the node that frees it.
        let buffer = unsafe { DeviceBuffer::of_graph(&self.device, params.dptr, len, self.number) };
        let buffer = GraphBuffer::new(buffer);
        let used = self.uses(&buffer, Access::Write)?;
        self.nodes[allocated.number].uses.push(used.clone());
        self.allocated.push((params.dptr, used));
        let pattern = (0, 1, bytes);
        self.set(&[allocated], &buffer, pattern, at)?;
        Ok(buffer)
    }

    /// Adds a node that frees such memory, after all nodes that use it.
    ///
    /// # Errors
    /// The driver's error.
    #[track_caller]
    pub fn free<T: DeviceCopy>(
        &mut self,
        after: &[Node<'graph>],
        buffer: GraphBuffer<'graph, T>,
    ) -> Result<Node<'graph>, GraphError> {
        let is_it = |(_, (order, _)): &(u64, Used)| order.is(buffer.order());
        let place = self.allocated.iter().position(is_it);
        let (address, used) = self
            .allocated
            .swap_remove(place.ok_or(GraphError::OtherGraph)?);
        self.add_free(after, address, used, Location::caller())
    }

    pub(super) fn add_free(
        &mut self,
        after: &[Node<'graph>],
        address: u64,
        used: Used,
        at: &'static Location<'static>,
    ) -> Result<Node<'graph>, GraphError> {
        let new = NewNode {
            what: format!("the end of memory at {at}"),
            uses: vec![used],
            ..NewNode::plain("the end of memory")
        };
        let call = ("cuGraphAddMemFreeNode", at);
        Ok(self.add(after, new, call, |node, graph, after, count| {
            // SAFETY: `node` is valid for a write, the graph is live, and `after` points to `count`
            // of its nodes. The address is that of an allocation of the graph that is freed once,
            // and nothing else uses it any more.
            unsafe { api::cuGraphAddMemFreeNode(node, graph, after, count, address) }
        })?)
    }
}
