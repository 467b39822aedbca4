//! Adding nodes to a graph that the program made.

use super::{nodes, params, plain_edges, read};
use crate::abi::*;
use crate::calls::{present, put};
use crate::error::Result;
use crate::objects::graph::{self, Kind};

/// Adds a node to a graph that the program made.
///
/// # Safety
/// `node` is null or valid; `after` is null or has `count` elements.
unsafe fn add(
    node: *mut CUgraphNode,
    graph: CUgraph,
    after: *const CUgraphNode,
    count: usize,
    kind: impl FnOnce() -> Result<Kind>,
) -> Result {
    present(node, "phGraphNode")?;
    let graph = graph::get(graph)?;
    // SAFETY: the caller's contract.
    let after = unsafe { nodes(after, count, "dependencies")? };
    let made = graph.add(kind()?, &after)?;
    // SAFETY: the caller's contract.
    unsafe { put(node, made.handle, "phGraphNode") }
}

pub(crate) unsafe fn kernel_v1(
    node: *mut CUgraphNode,
    graph: CUgraph,
    after: *const CUgraphNode,
    count: usize,
    what: *const c_void,
) -> Result {
    // SAFETY: the caller's contract.
    unsafe {
        add(node, graph, after, count, || {
            params::kernel(&params::newer(&read(what)?))
        })
    }
}

pub(crate) unsafe fn kernel(
    node: *mut CUgraphNode,
    graph: CUgraph,
    after: *const CUgraphNode,
    count: usize,
    what: *const c_void,
) -> Result {
    // SAFETY: the caller's contract.
    unsafe {
        add(node, graph, after, count, || {
            params::kernel(&read::<CUDA_KERNEL_NODE_PARAMS>(what)?)
        })
    }
}

pub(crate) unsafe fn copy(
    node: *mut CUgraphNode,
    graph: CUgraph,
    after: *const CUgraphNode,
    count: usize,
    what: *const CUDA_MEMCPY3D,
    ctx: CUcontext,
) -> Result {
    // SAFETY: the caller's contract.
    unsafe {
        add(node, graph, after, count, || {
            params::copy(&read(what.cast())?, ctx)
        })
    }
}

pub(crate) unsafe fn memset(
    node: *mut CUgraphNode,
    graph: CUgraph,
    after: *const CUgraphNode,
    count: usize,
    what: *const c_void,
    ctx: CUcontext,
) -> Result {
    // SAFETY: the caller's contract.
    unsafe { add(node, graph, after, count, || params::set(&read(what)?, ctx)) }
}

pub(crate) unsafe fn host(
    node: *mut CUgraphNode,
    graph: CUgraph,
    after: *const CUgraphNode,
    count: usize,
    what: *const c_void,
) -> Result {
    // SAFETY: the caller's contract.
    unsafe {
        add(node, graph, after, count, || {
            params::host(&read::<CUDA_HOST_NODE_PARAMS>(what)?)
        })
    }
}

pub(crate) unsafe fn child(
    node: *mut CUgraphNode,
    graph: CUgraph,
    after: *const CUgraphNode,
    count: usize,
    child: CUgraph,
) -> Result {
    // SAFETY: the caller's contract.
    unsafe { add(node, graph, after, count, || params::child(child)) }
}

pub(crate) unsafe fn empty(
    node: *mut CUgraphNode,
    graph: CUgraph,
    after: *const CUgraphNode,
    count: usize,
) -> Result {
    // SAFETY: the caller's contract.
    unsafe { add(node, graph, after, count, || Ok(Kind::Empty)) }
}

pub(crate) unsafe fn record(
    node: *mut CUgraphNode,
    graph: CUgraph,
    after: *const CUgraphNode,
    count: usize,
    event: CUevent,
) -> Result {
    // SAFETY: the caller's contract.
    unsafe {
        add(node, graph, after, count, || {
            Ok(Kind::Record(params::event(event)?))
        })
    }
}

pub(crate) unsafe fn wait(
    node: *mut CUgraphNode,
    graph: CUgraph,
    after: *const CUgraphNode,
    count: usize,
    event: CUevent,
) -> Result {
    // SAFETY: the caller's contract.
    unsafe {
        add(node, graph, after, count, || {
            Ok(Kind::Wait(params::event(event)?))
        })
    }
}

pub(crate) unsafe fn allocation(
    node: *mut CUgraphNode,
    graph: CUgraph,
    after: *const CUgraphNode,
    count: usize,
    what: *mut c_void,
) -> Result {
    // SAFETY: the caller's contract.
    unsafe {
        add(node, graph, after, count, || {
            params::allocation(what.cast())
        })
    }
}

pub(crate) unsafe fn free(
    node: *mut CUgraphNode,
    graph: CUgraph,
    after: *const CUgraphNode,
    count: usize,
    address: CUdeviceptr,
) -> Result {
    // SAFETY: the caller's contract.
    unsafe { add(node, graph, after, count, || params::free(address)) }
}

/// CUDA 12.2's, whose edges carry no data.
pub(crate) unsafe fn any_v1(
    node: *mut CUgraphNode,
    graph: CUgraph,
    after: *const CUgraphNode,
    count: usize,
    what: *mut c_void,
) -> Result {
    // SAFETY: the caller's contract.
    unsafe { any(node, graph, after, std::ptr::null(), count, what) }
}

pub(crate) unsafe fn any(
    node: *mut CUgraphNode,
    graph: CUgraph,
    after: *const CUgraphNode,
    edges: *const c_void,
    count: usize,
    what: *mut c_void,
) -> Result {
    // SAFETY: the caller's contract.
    unsafe {
        plain_edges(edges, count)?;
        let of = graph::get(graph)?;
        add(node, graph, after, count, || {
            params::any(what.cast(), Some(&of))
        })
    }
}
