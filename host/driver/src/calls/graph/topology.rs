//! Whole graphs: making and cloning them, and listing their nodes and edges.

use super::{give, nodes, plain_edges};
use crate::abi::*;
use crate::calls::{put, text};
use crate::error::{Error, Result, ensure, fail};
use crate::objects::graph::{self, Edge, Graph, Kind, dot};
use std::sync::Arc;

pub(crate) unsafe fn create(graph: *mut CUgraph, flags: c_uint) -> Result {
    ensure!(
        flags == 0,
        ERROR_INVALID_VALUE,
        "flags must be 0, not {flags:#x}"
    );
    super::present(graph, "phGraph")?;
    // SAFETY: the caller keeps the contract.
    unsafe { put(graph, graph::create(false).handle, "phGraph") }
}

pub(crate) unsafe fn clone(copy: *mut CUgraph, original: CUgraph) -> Result {
    let original = graph::get(original)?;
    super::present(copy, "phGraphClone")?;
    // SAFETY: the caller keeps the contract.
    unsafe { put(copy, original.copy(false)?.handle, "phGraphClone") }
}

pub(crate) unsafe fn destroy(handle: CUgraph) -> Result {
    let graph = graph::get(handle)?;
    ensure!(
        !graph.is_child,
        ERROR_INVALID_VALUE,
        "the graph belongs to a child node; it goes with that"
    );
    graph.destroy();
    Ok(())
}

pub(crate) unsafe fn destroy_node(handle: CUgraphNode) -> Result {
    let node = graph::node(handle)?;
    let graph = graph::get(node.graph)?;
    refuse_memory(&graph)?;
    graph.remove(&node);
    Ok(())
}

/// Refuses to remove nodes or edges from a graph that allocates.
fn refuse_memory(graph: &Graph) -> Result {
    let allocates = |kind: &Kind| matches!(kind, Kind::Alloc(_) | Kind::Free(_));
    ensure!(
        !graph
            .nodes()
            .iter()
            .any(|node| allocates(&node.kind.lock())),
        ERROR_NOT_SUPPORTED,
        "nodes and edges of a graph that allocates or frees memory cannot be taken away"
    );
    Ok(())
}

pub(crate) unsafe fn find_in_clone(
    found: *mut CUgraphNode,
    original: CUgraphNode,
    clone: CUgraph,
) -> Result {
    let clone = graph::get(clone)?;
    let Some(copy) = clone.copy_of(original) else {
        fail!(
            ERROR_INVALID_VALUE,
            "the graph was not cloned from one with the node {:#x}",
            original.0
        )
    };
    // SAFETY: the caller keeps the contract.
    unsafe { put(found, copy, "phNode") }
}

pub(crate) unsafe fn node_type(node: CUgraphNode, found: *mut c_uint) -> Result {
    let kind = graph::node(node)?.kind.lock().node_type();
    // SAFETY: the caller keeps the contract.
    unsafe { put(found, kind, "type") }
}

pub(crate) unsafe fn all_nodes(
    graph: CUgraph,
    list: *mut CUgraphNode,
    count: *mut usize,
) -> Result {
    let nodes = graph::get(graph)?.nodes();
    let found: Vec<_> = nodes.iter().map(|node| node.handle).collect();
    // SAFETY: the caller keeps the contract.
    unsafe { give(&found, list, count) }
}

pub(crate) unsafe fn roots(graph: CUgraph, list: *mut CUgraphNode, count: *mut usize) -> Result {
    let graph = graph::get(graph)?;
    let edges = graph.edges();
    let nodes = graph.nodes();
    let handles = nodes.iter().map(|node| node.handle);
    let found: Vec<_> = handles
        .filter(|handle| !edges.iter().any(|(_, to)| to == handle))
        .collect();
    // SAFETY: the caller keeps the contract.
    unsafe { give(&found, list, count) }
}

pub(crate) unsafe fn edges(
    graph: CUgraph,
    from: *mut CUgraphNode,
    to: *mut CUgraphNode,
    count: *mut usize,
) -> Result {
    let edges = graph::get(graph)?.edges();
    ensure!(
        from.is_null() == to.is_null(),
        ERROR_INVALID_VALUE,
        "`from` and `to` are both null or neither"
    );
    let (starts, ends): (Vec<_>, Vec<_>) = edges.into_iter().unzip();
    // SAFETY: the caller keeps the contract. The number that is read is the number that the
    // other list has.
    unsafe {
        if !from.is_null() {
            super::present(count, "numEdges")?;
            let mut room = count.read();
            give(&starts, from, &mut room)?;
        }
        give(&ends, to, count)
    }
}

/// Writes the data of this many edges, all of the ordinary kind.
///
/// # Safety
/// `count` is null or valid. `data` is null or has as many elements as `count` specifies.
unsafe fn no_data(data: *mut c_void, count: *const usize) {
    if !data.is_null() && !count.is_null() {
        // SAFETY: the caller keeps the contract.
        unsafe { std::ptr::write_bytes(data.cast::<CUgraphEdgeData>(), 0, count.read()) };
    }
}

pub(crate) unsafe fn edges_v2(
    graph: CUgraph,
    from: *mut CUgraphNode,
    to: *mut CUgraphNode,
    data: *mut c_void,
    count: *mut usize,
) -> Result {
    // SAFETY: the caller keeps the contract.
    unsafe {
        no_data(data, count);
        edges(graph, from, to, count)
    }
}

/// Returns the nodes at the other ends of a node's edges.
fn neighbours(
    node: CUgraphNode,
    other: impl Fn(Edge) -> Option<CUgraphNode>,
) -> Result<Vec<CUgraphNode>> {
    let graph = graph::get(graph::node(node)?.graph)?;
    Ok(graph.edges().into_iter().filter_map(other).collect())
}

pub(crate) unsafe fn dependencies(
    node: CUgraphNode,
    list: *mut CUgraphNode,
    count: *mut usize,
) -> Result {
    let found = neighbours(node, |(from, to)| (to == node).then_some(from))?;
    // SAFETY: the caller keeps the contract.
    unsafe { give(&found, list, count) }
}

pub(crate) unsafe fn dependencies_v2(
    node: CUgraphNode,
    list: *mut CUgraphNode,
    data: *mut c_void,
    count: *mut usize,
) -> Result {
    // SAFETY: the caller keeps the contract.
    unsafe {
        no_data(data, count);
        dependencies(node, list, count)
    }
}

pub(crate) unsafe fn dependents(
    node: CUgraphNode,
    list: *mut CUgraphNode,
    count: *mut usize,
) -> Result {
    let found = neighbours(node, |(from, to)| (from == node).then_some(to))?;
    // SAFETY: the caller keeps the contract.
    unsafe { give(&found, list, count) }
}

pub(crate) unsafe fn dependents_v2(
    node: CUgraphNode,
    list: *mut CUgraphNode,
    data: *mut c_void,
    count: *mut usize,
) -> Result {
    // SAFETY: the caller keeps the contract.
    unsafe {
        no_data(data, count);
        dependents(node, list, count)
    }
}

/// Returns the caller's two lists as edges.
///
/// # Safety
/// Both lists are null or have `count` elements.
unsafe fn pairs(
    graph: CUgraph,
    from: *const CUgraphNode,
    to: *const CUgraphNode,
    count: usize,
) -> Result<(Arc<Graph>, Vec<Edge>)> {
    let graph = graph::get(graph)?;
    // SAFETY: the caller keeps the contract.
    let (from, to) = unsafe { (nodes(from, count, "from")?, nodes(to, count, "to")?) };
    Ok((graph, from.into_iter().zip(to).collect()))
}

pub(crate) unsafe fn add_dependencies(
    graph: CUgraph,
    from: *const CUgraphNode,
    to: *const CUgraphNode,
    count: usize,
) -> Result {
    // SAFETY: the caller keeps the contract.
    let (graph, edges) = unsafe { pairs(graph, from, to, count)? };
    graph.add_edges(&edges)
}

pub(crate) unsafe fn add_dependencies_v2(
    graph: CUgraph,
    from: *const CUgraphNode,
    to: *const CUgraphNode,
    data: *const c_void,
    count: usize,
) -> Result {
    // SAFETY: the caller keeps the contract.
    unsafe {
        plain_edges(data, count)?;
        add_dependencies(graph, from, to, count)
    }
}

pub(crate) unsafe fn remove_dependencies(
    graph: CUgraph,
    from: *const CUgraphNode,
    to: *const CUgraphNode,
    count: usize,
) -> Result {
    // SAFETY: the caller keeps the contract.
    let (graph, edges) = unsafe { pairs(graph, from, to, count)? };
    if !edges.is_empty() {
        refuse_memory(&graph)?;
    }
    graph.remove_edges(&edges)
}

pub(crate) unsafe fn remove_dependencies_v2(
    graph: CUgraph,
    from: *const CUgraphNode,
    to: *const CUgraphNode,
    data: *const c_void,
    count: usize,
) -> Result {
    // SAFETY: the caller keeps the contract.
    unsafe {
        plain_edges(data, count)?;
        remove_dependencies(graph, from, to, count)
    }
}

pub(crate) unsafe fn print(graph: CUgraph, path: *const c_char, _flags: c_uint) -> Result {
    let graph = graph::get(graph)?;
    // SAFETY: the caller keeps the contract.
    let path = unsafe { text(path, "path")? };
    std::fs::write(path, dot::text(&graph)).map_err(|error| {
        Error::new(
            CUresult::ERROR_OPERATING_SYSTEM,
            format_args!("`{path}` cannot be written: {error}"),
        )
    })
}
