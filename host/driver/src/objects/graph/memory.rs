//! Memory that a graph allocates. Its address is known when the node is added, and it is usable
//! between its allocation and its free by a launch.
//!
//! Source: CUDA C++ Programming Guide, "Graph Memory Nodes". The bytes are reserved when the
//! node is added, and stay reserved until the graph and everything instantiated from it are
//! gone. Whether they are in use is counted separately. So a second launch without a free is
//! refused, and the device's counters of graph memory are right. An access while nothing is
//! allocated is not found.

use crate::abi::CUDA_MEM_ALLOC_NODE_PARAMS;
use crate::error::Result;
use crate::objects::context::Context;
use crate::objects::handle::origin;
use crate::objects::memory::{self, graph_memory};
use lanewise_sim::AllocationKind;
use std::sync::Arc;

/// The memory of an allocation node. It is released when its last user is gone.
#[derive(Debug)]
pub(crate) struct Reserved {
    pub(crate) address: u64,
    pub(crate) bytes: u64,
    /// The parameters of the call that added the node: allocation type, handle types, location.
    pub(crate) described: [u32; 4],
}

/// Reserves memory for an allocation node.
pub(crate) fn reserve(
    context: &Context,
    params: &CUDA_MEM_ALLOC_NODE_PARAMS,
) -> Result<Arc<Reserved>> {
    let address =
        origin::aside(|| memory::allocate(context, params.bytesize, AllocationKind::Device, 0))?;
    let (bytes, device) = (params.bytesize as u64, context.device.ordinal);
    graph_memory::reserved(address, bytes, device);
    let props = &params.pool_props;
    let described = [
        props.allocation_kind,
        props.handle_types,
        props.location.kind,
        props.location.id as u32,
    ];
    Ok(Arc::new(Reserved {
        address,
        bytes,
        described,
    }))
}

impl Drop for Reserved {
    fn drop(&mut self) {
        graph_memory::gone(self.address);
        memory::release(self.address, None);
    }
}
