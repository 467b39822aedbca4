//! Graphs' nodes: adding one, and reading and changing what it does.

use super::{nodes, params, plain_edges};
use crate::abi::enums::launch_attribute as attribute;
use crate::abi::*;
use crate::calls::{launch, present, put};
use crate::error::{Result, ensure, fail};
use crate::objects::graph::{self, Kind, Node};
use std::sync::Arc;

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

/// Reads the caller's struct.
///
/// # Safety
/// `params` is null or a valid `T`.
pub(super) unsafe fn read<T: Copy>(params: *const c_void) -> Result<T> {
    present(params, "nodeParams")?;
    // SAFETY: not null, so valid as the caller states.
    Ok(unsafe { params.cast::<T>().read() })
}

/// Changes what a node does, into something of the same type.
fn set(node: CUgraphNode, kind: Kind) -> Result {
    let node = graph::node(node)?;
    let mut now = node.kind.lock();
    if now.node_type() != kind.node_type() {
        return params::wrong(&kind.label(), &now);
    }
    *now = kind;
    Ok(())
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

pub(crate) unsafe fn kernel_params_v1(node: CUgraphNode, what: *mut c_void) -> Result {
    let CUDA_KERNEL_NODE_PARAMS {
        func,
        grid,
        block,
        shared_mem_bytes,
        kernel_params,
        extra,
        ..
    } = params::of_kernel(&*graph::node(node)?)?;
    let found = CUDA_KERNEL_NODE_PARAMS_v1 {
        func,
        grid,
        block,
        shared_mem_bytes,
        kernel_params,
        extra,
    };
    // SAFETY: the caller's contract.
    unsafe { put(what.cast(), found, "nodeParams") }
}

pub(crate) unsafe fn kernel_params(node: CUgraphNode, what: *mut c_void) -> Result {
    let found = params::of_kernel(&*graph::node(node)?)?;
    // SAFETY: the caller's contract.
    unsafe { put(what.cast(), found, "nodeParams") }
}

pub(crate) unsafe fn set_kernel_params_v1(node: CUgraphNode, what: *const c_void) -> Result {
    // SAFETY: the caller's contract.
    set(node, unsafe {
        params::kernel(&params::newer(&read(what)?))?
    })
}

pub(crate) unsafe fn set_kernel_params(node: CUgraphNode, what: *const c_void) -> Result {
    // SAFETY: the caller's contract.
    set(node, unsafe {
        params::kernel(&read::<CUDA_KERNEL_NODE_PARAMS>(what)?)?
    })
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

pub(crate) unsafe fn copy_params(node: CUgraphNode, what: *mut CUDA_MEMCPY3D) -> Result {
    let node = graph::node(node)?;
    let found = match &*node.kind.lock() {
        Kind::Copy(copy) => copy.described,
        other => return params::wrong("copy", other),
    };
    // SAFETY: the caller's contract.
    unsafe { put(what, found, "nodeParams") }
}

pub(crate) unsafe fn set_copy_params(node: CUgraphNode, what: *const CUDA_MEMCPY3D) -> Result {
    let context = match &*graph::node(node)?.kind.lock() {
        Kind::Copy(copy) => copy.context.handle,
        other => return params::wrong("copy", other),
    };
    // SAFETY: the caller's contract.
    set(node, params::copy(&unsafe { read(what.cast())? }, context)?)
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

pub(crate) unsafe fn memset_params(node: CUgraphNode, what: *mut c_void) -> Result {
    let node = graph::node(node)?;
    let found = match &*node.kind.lock() {
        Kind::Set(set) => set.described,
        other => return params::wrong("memset", other),
    };
    // SAFETY: the caller's contract.
    unsafe { put(what.cast(), found, "nodeParams") }
}

pub(crate) unsafe fn set_memset_params(node: CUgraphNode, what: *const c_void) -> Result {
    let context = match &*graph::node(node)?.kind.lock() {
        Kind::Set(set) => set.context.handle,
        other => return params::wrong("memset", other),
    };
    // SAFETY: the caller's contract.
    set(node, params::set(&unsafe { read(what)? }, context)?)
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

pub(crate) unsafe fn host_params(node: CUgraphNode, what: *mut c_void) -> Result {
    let node = graph::node(node)?;
    let found = match &*node.kind.lock() {
        Kind::Host(host) => CUDA_HOST_NODE_PARAMS {
            function: Some(host.function),
            user_data: host.data.0,
        },
        other => return params::wrong("host", other),
    };
    // SAFETY: the caller's contract.
    unsafe { put(what.cast(), found, "nodeParams") }
}

pub(crate) unsafe fn set_host_params(node: CUgraphNode, what: *const c_void) -> Result {
    // SAFETY: the caller's contract.
    set(
        node,
        params::host(&unsafe { read::<CUDA_HOST_NODE_PARAMS>(what)? })?,
    )
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

pub(crate) unsafe fn child_graph(node: CUgraphNode, graph: *mut CUgraph) -> Result {
    let node = graph::node(node)?;
    let found = match &*node.kind.lock() {
        Kind::Child(child) => child.handle,
        other => return params::wrong("child graph", other),
    };
    // SAFETY: the caller's contract.
    unsafe { put(graph, found, "phGraph") }
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

pub(crate) unsafe fn recorded_event(node: CUgraphNode, event: *mut CUevent) -> Result {
    let node = graph::node(node)?;
    let found = match &*node.kind.lock() {
        Kind::Record(event) => event.handle,
        other => return params::wrong("event record", other),
    };
    // SAFETY: the caller's contract.
    unsafe { put(event, found, "event_out") }
}

pub(crate) unsafe fn set_recorded_event(node: CUgraphNode, event: CUevent) -> Result {
    set(node, Kind::Record(params::event(event)?))
}

pub(crate) unsafe fn awaited_event(node: CUgraphNode, event: *mut CUevent) -> Result {
    let node = graph::node(node)?;
    let found = match &*node.kind.lock() {
        Kind::Wait(event) => event.handle,
        other => return params::wrong("event wait", other),
    };
    // SAFETY: the caller's contract.
    unsafe { put(event, found, "event_out") }
}

pub(crate) unsafe fn set_awaited_event(node: CUgraphNode, event: CUevent) -> Result {
    set(node, Kind::Wait(params::event(event)?))
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

pub(crate) unsafe fn freed(node: CUgraphNode, address: *mut CUdeviceptr) -> Result {
    let node = graph::node(node)?;
    let found = match &*node.kind.lock() {
        Kind::Free(address) => *address,
        other => return params::wrong("free", other),
    };
    // SAFETY: the caller's contract.
    unsafe { put(address, found, "dptr_out") }
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
        add(node, graph, after, count, || params::any(what.cast()))
    }
}

pub(crate) unsafe fn set_any(node: CUgraphNode, what: *mut c_void) -> Result {
    // SAFETY: the caller's contract.
    set(node, unsafe { params::any(what.cast())? })
}

/// A kernel node.
fn kernel_node(node: CUgraphNode) -> Result<Arc<Node>> {
    let node = graph::node(node)?;
    params::of_kernel(&node)?;
    Ok(node)
}

pub(crate) unsafe fn attribute(
    node: CUgraphNode,
    which: c_uint,
    value: *mut CUlaunchAttributeValue,
) -> Result {
    let node = kernel_node(node)?;
    let mut found = CUlaunchAttributeValue { bytes: [0; 64] };
    if let Kind::Kernel(launch) = &*node.kind.lock() {
        let words: &[u32] = match which {
            attribute::COOPERATIVE => &[u32::from(launch.shape.cooperative)],
            attribute::CLUSTER_DIMENSION => &launch.shape.cluster,
            attribute::PRIORITY | attribute::ACCESS_POLICY_WINDOW => &[],
            other => fail!(
                ERROR_INVALID_VALUE,
                "{other} is no attribute that a kernel node has here"
            ),
        };
        for (bytes, word) in found.bytes.chunks_exact_mut(4).zip(words) {
            bytes.copy_from_slice(&word.to_ne_bytes());
        }
    }
    // SAFETY: the caller's contract.
    unsafe { put(value, found, "value_out") }
}

pub(crate) unsafe fn set_attribute(
    node: CUgraphNode,
    which: c_uint,
    value: *const CUlaunchAttributeValue,
) -> Result {
    let node = kernel_node(node)?;
    present(value, "value")?;
    // SAFETY: not null, so valid as the caller states.
    let value = unsafe { value.read() };
    if let Kind::Kernel(launch) = &mut *node.kind.lock() {
        let mut shape = launch.shape;
        match which {
            attribute::COOPERATIVE => shape.cooperative = value.word(0) != 0,
            attribute::CLUSTER_DIMENSION => shape.cluster = [0, 1, 2].map(|axis| value.word(axis)),
            // These choose how a GPU does the work, not what comes out.
            attribute::PRIORITY | attribute::ACCESS_POLICY_WINDOW => {}
            other => fail!(
                ERROR_INVALID_VALUE,
                "{other} is no attribute that a kernel node has here"
            ),
        }
        launch::check(&launch.context, &launch.function, &shape)?;
        launch.shape = shape;
    }
    Ok(())
}

pub(crate) unsafe fn copy_attributes(to: CUgraphNode, from: CUgraphNode) -> Result {
    let (to, from) = (kernel_node(to)?, kernel_node(from)?);
    ensure!(
        to.graph == from.graph || to.handle != from.handle,
        ERROR_INVALID_VALUE,
        "a node's attributes are copied to another node"
    );
    let wanted = match &*from.kind.lock() {
        Kind::Kernel(launch) => (launch.shape.cluster, launch.shape.cooperative),
        other => return params::wrong("kernel", other),
    };
    if let Kind::Kernel(launch) = &mut *to.kind.lock() {
        (launch.shape.cluster, launch.shape.cooperative) = wanted;
    }
    Ok(())
}
