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
    // SAFETY: the caller keeps the contract.
    let after = unsafe { nodes(after, count, "dependencies")? };
    let made = graph.add(kind()?, &after)?;
    // SAFETY: the caller keeps the contract.
    unsafe { put(node, made.handle, "phGraphNode") }
}

/// Makes the calls that add a node of one kind, from their specific arguments and the expression
/// for the operation.
macro_rules! added {
    ($($name:ident($($argument:ident: $ty:ty),*) => $kind:expr;)*) => {$(
        pub(crate) unsafe fn $name(
            node: *mut CUgraphNode,
            graph: CUgraph,
            after: *const CUgraphNode,
            count: usize,
            $($argument: $ty,)*
        ) -> Result {
            #[allow(unused_unsafe, reason = "some kinds are made of values alone")]
            // SAFETY: the caller keeps the contract.
            let kind = || unsafe { $kind };
            // SAFETY: the caller keeps the contract.
            unsafe { add(node, graph, after, count, kind) }
        }
    )*};
}
added! {
    empty() => Ok(Kind::Empty);
    kernel_v1(what: *const c_void) => params::kernel(&params::newer(&read(what)?));
    kernel(what: *const c_void) => params::kernel(&read::<CUDA_KERNEL_NODE_PARAMS>(what)?);
    copy(what: *const CUDA_MEMCPY3D, ctx: CUcontext) => params::copy(&read(what.cast())?, ctx);
    memset(what: *const c_void, ctx: CUcontext) => params::set(&read(what)?, ctx);
    host(what: *const c_void) => params::host(&read::<CUDA_HOST_NODE_PARAMS>(what)?);
    child(child: CUgraph) => params::child(child);
    record(event: CUevent) => Ok(Kind::Record(params::event(event)?));
    wait(event: CUevent) => Ok(Kind::Wait(params::event(event)?));
    allocation(what: *mut c_void) => params::allocation(what.cast());
    free(address: CUdeviceptr) => params::free(address);
}

/// `cuGraphAddNode` of CUDA 12.2, whose edges have no data.
pub(crate) unsafe fn any_v1(
    node: *mut CUgraphNode,
    graph: CUgraph,
    after: *const CUgraphNode,
    count: usize,
    what: *mut c_void,
) -> Result {
    // SAFETY: the caller keeps the contract.
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
    // SAFETY: the caller keeps the contract.
    unsafe {
        plain_edges(edges, count)?;
        let of = graph::get(graph)?;
        add(node, graph, after, count, || {
            params::any(what.cast(), Some(&of))
        })
    }
}
