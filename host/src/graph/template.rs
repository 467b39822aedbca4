//! Graphs as descriptions of work, from which executable graphs are made.
//!
//! Source: CUDA driver API, "Graph Management", `cuGraphClone`, `cuGraphDebugDotPrint`.

use std::ffi::CString;
use std::panic::Location;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lanewise_driver::abi::{CUgraph, CUgraphNode};
use lanewise_driver::api;

use super::error::GraphError;
use super::uses::{Used, conflict, hold, once_each};
use crate::{Device, Dim3, DriverError, Event, late};

/// The driver's graph, destroyed when dropped. The driver allows one call at a time on it.
#[derive(Debug)]
pub(super) struct Handle {
    graph: CUgraph,
    turn: Mutex<()>,
    /// The graph that owns this one, if this is the body of a conditional node.
    whole: Option<Arc<Handle>>,
}

impl Handle {
    /// Takes ownership of a graph.
    pub(super) fn new(graph: CUgraph) -> Self {
        Self {
            graph,
            turn: Mutex::default(),
            whole: None,
        }
    }

    /// Makes the handle of the body of a conditional node in `whole`.
    pub(super) fn body(graph: CUgraph, whole: &Arc<Handle>) -> Self {
        Self {
            graph,
            turn: Mutex::default(),
            whole: Some(whole.clone()),
        }
    }

    /// Makes an empty graph.
    pub(super) fn create(at: &'static Location<'static>) -> Result<Self, DriverError> {
        let mut graph = CUgraph::default();
        // SAFETY: the result is written to a local variable.
        let result = unsafe { api::cuGraphCreate(&mut graph, 0) };
        DriverError::check("cuGraphCreate", result, at)?;
        Ok(Self::new(graph))
    }

    /// Returns the graph, and the guard of the lock for calls on it.
    pub(super) fn turn(&self) -> (CUgraph, MutexGuard<'_, ()>) {
        let turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        (self.graph, turn)
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        if self.whole.is_none() && self.graph != CUgraph::default() {
            late::end(Destroyed(self.graph));
        }
    }
}

/// A graph that was dropped.
struct Destroyed(CUgraph);

impl Drop for Destroyed {
    fn drop(&mut self) {
        // SAFETY: the handle owned the graph, and it is destroyed once. A drop
        // cannot report errors.
        let _ = unsafe { api::cuGraphDestroy(self.0) };
    }
}

/// The function of a host node: the address of the inner box is what the driver passes.
pub(super) type HostFunction = Arc<Box<dyn Fn() + Send + Sync>>;

/// An object that a node needs and the driver does not keep alive.
#[derive(Clone)]
pub(super) enum KeptAlive {
    /// The node calls this function on the host.
    #[expect(dead_code, reason = "held, not looked at")]
    Function(HostFunction),
    /// The node records this event or waits for it.
    #[expect(dead_code, reason = "held, not looked at")]
    Event(Event),
}

/// The set of the numbers of all nodes that run before a node.
#[derive(Debug, Clone, Default)]
pub(super) struct Predecessors(Vec<u64>);

impl Predecessors {
    /// Returns whether the set contains this node.
    pub(super) fn has(&self, node: usize) -> bool {
        self.0
            .get(node / 64)
            .is_some_and(|word| word >> (node % 64) & 1 == 1)
    }

    /// Adds a node and all nodes before it.
    fn add(&mut self, node: usize, before: &Self) {
        let words = (node / 64 + 1).max(before.0.len());
        if self.0.len() < words {
            self.0.resize(words, 0);
        }
        self.0[node / 64] |= 1 << (node % 64);
        for (word, more) in self.0.iter_mut().zip(&before.0) {
            *word |= more;
        }
    }
}

/// The kind of a node, as far as it determines whether the node can be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NodeType {
    /// It launches a kernel with this cluster shape. The second field is whether the
    /// launch is cooperative.
    Kernel(Option<Dim3>, bool),
    /// It depends on a condition. Kernels contain the driver's handle of the condition.
    Conditional,
    /// Any other node, with the driver's name for it.
    Other(&'static str),
}

/// A node, with what the driver does not know about it.
#[derive(Clone)]
pub(super) struct TemplateNode {
    /// A number that is unique except in clones of the graph.
    pub(super) key: u64,
    /// The driver's handle.
    pub(super) handle: CUgraphNode,
    /// A description for errors.
    pub(super) what: String,
    pub(super) kind: NodeType,
    /// The nodes that it directly depends on.
    pub(super) direct: Vec<usize>,
    /// All nodes that run before it.
    pub(super) before: Predecessors,
    pub(super) uses: Vec<Used>,
    pub(super) keeps: Vec<KeptAlive>,
}

/// Returns a new unique number.
pub(super) fn number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// The dependencies of a new node: those that the caller names, and earlier nodes that conflict
/// with its uses of memory.
pub(super) fn placed(
    nodes: &[TemplateNode],
    after: &[usize],
    uses: &[Used],
) -> (Vec<usize>, Predecessors) {
    let (mut direct, mut before) = (Vec::new(), Predecessors::default());
    for &node in after {
        if !direct.contains(&node) {
            direct.push(node);
            before.add(node, &nodes[node].before);
        }
    }
    for (number, node) in nodes.iter().enumerate().rev() {
        if !before.has(number) && conflict(&node.uses, uses) {
            direct.push(number);
            before.add(number, &node.before);
        }
    }
    (direct, before)
}

/// The memory from outside that these nodes use, each buffer once.
pub(super) fn uses(nodes: &[TemplateNode]) -> Vec<Used> {
    let all = nodes.iter().flat_map(|node| node.uses.iter().cloned());
    once_each(all.collect())
}

/// A graph of nodes, made by [`Device::build_graph`], from which executable graphs are made.
///
/// It can be inspected, extended by more nodes ([`Self::extend`]), put into another graph as
/// one node ([`GraphBuilder::child`](super::GraphBuilder::child)), and made executable any
/// number of times ([`Self::instantiate`]).
pub struct Graph {
    pub(super) device: Device,
    pub(super) handle: Arc<Handle>,
    pub(super) nodes: Vec<TemplateNode>,
    /// Whether an executable graph of it exists. With conditions there may be one only, because a
    /// condition has one value.
    pub(super) only: Arc<AtomicBool>,
}

impl std::fmt::Debug for Graph {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let nodes = self.nodes.iter().map(|node| &node.what);
        f.debug_list().entries(nodes).finish()
    }
}

impl Graph {
    /// The graph's device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The number of nodes. A child graph counts as one.
    pub fn nodes(&self) -> usize {
        self.nodes.len()
    }

    /// The dependencies: for each, the number of the node that comes first, and that of the node
    /// that waits. Nodes are numbered in the order in which they were added.
    pub fn dependencies(&self) -> Vec<(usize, usize)> {
        let of = |(node, entry): (usize, &TemplateNode)| {
            let from = entry.direct.clone().into_iter();
            from.map(move |from| (from, node)).collect::<Vec<_>>()
        };
        self.nodes.iter().enumerate().flat_map(of).collect()
    }

    /// The memory from outside that it uses, each buffer once.
    pub(super) fn uses(&self) -> Vec<Used> {
        uses(&self.nodes)
    }

    /// Returns whether it has conditional nodes.
    pub(super) fn has_conditions(&self) -> bool {
        self.nodes
            .iter()
            .any(|node| node.kind == NodeType::Conditional)
    }

    /// Fails if the graph has conditional nodes.
    pub(super) fn without_conditions(&self) -> Result<(), GraphError> {
        match self.has_conditions() {
            true => Err(GraphError::HasConditions),
            false => Ok(()),
        }
    }

    /// Makes another graph with the same nodes.
    ///
    /// # Errors
    /// The driver's error: a graph with memory of its own can't be cloned;
    /// [`GraphError::HasConditions`], [`GraphError::BufferIsGone`].
    #[track_caller]
    pub fn try_clone(&self) -> Result<Self, GraphError> {
        self.without_conditions()?;
        let at = Location::caller();
        let uses = self.uses();
        let _held = hold(&uses, at)?;
        self.device.make_current(at)?;
        let (graph, _turn) = self.handle.turn();
        let mut clone = CUgraph::default();
        // SAFETY: the result is written to a local variable, and the graph is live.
        let result = unsafe { api::cuGraphClone(&mut clone, graph) };
        DriverError::check("cuGraphClone", result, at)?;
        let handle = Handle::new(clone);
        let mut nodes = self.nodes.clone();
        for node in &mut nodes {
            let original = node.handle;
            // SAFETY: the result is written to the node, the node is one of the graph, and the
            // clone is of that graph.
            let result = unsafe { api::cuGraphNodeFindInClone(&mut node.handle, original, clone) };
            DriverError::check("cuGraphNodeFindInClone", result, at)?;
        }
        Ok(Self {
            device: self.device.clone(),
            handle: Arc::new(handle),
            nodes,
            only: Arc::default(),
        })
    }

    /// Returns the graph in the language of Graphviz, as the driver prints it; `dot -Tsvg` draws
    /// it. With `verbose` it has all parameters of all nodes.
    ///
    /// # Errors
    /// The driver's error; [`GraphError::BufferIsGone`]; [`GraphError::Print`] if there is no
    /// folder for temporary files.
    #[track_caller]
    pub fn debug_dot(&self, verbose: bool) -> Result<String, GraphError> {
        let at = Location::caller();
        let name = format!("lanewise-{}-{}.dot", std::process::id(), number());
        let file = std::env::temp_dir().join(name);
        let path = CString::new(file.to_string_lossy().as_bytes()).map_err(std::io::Error::from)?;
        let uses = self.uses();
        let _held = hold(&uses, at)?;
        self.device.make_current(at)?;
        let (graph, _turn) = self.handle.turn();
        // SAFETY: the graph is live, and the path ends with a zero.
        // 1 is `CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE`.
        let result = unsafe { api::cuGraphDebugDotPrint(graph, path.as_ptr(), verbose.into()) };
        let printed = DriverError::check("cuGraphDebugDotPrint", result, at);
        let text = std::fs::read_to_string(&file);
        let _ = std::fs::remove_file(&file); // it may not be there
        printed?;
        Ok(text?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::order::{Access, Order};

    fn entry(uses: Vec<Used>, (direct, before): (Vec<usize>, Predecessors)) -> TemplateNode {
        TemplateNode {
            key: 0,
            handle: CUgraphNode::default(),
            what: String::new(),
            kind: NodeType::Other("empty"),
            direct,
            before,
            uses,
            keeps: Vec::new(),
        }
    }

    #[test]
    fn a_node_waits_for_those_that_it_conflicts_with_once() {
        let (a, b) = (Order::default(), Order::default());
        let [write_a, read_a, write_b] =
            [(&a, Access::Write), (&a, Access::Read), (&b, Access::Write)]
                .map(|(order, access)| vec![(order.clone(), access)]);
        let mut nodes = Vec::new();
        let mut add = |uses: &Vec<Used>, after: &[usize]| {
            let place = placed(&nodes, after, uses);
            let direct = place.0.clone();
            nodes.push(entry(uses.clone(), place));
            direct
        };
        assert_eq!(add(&write_a, &[]), [0usize; 0]);
        assert_eq!(add(&write_b, &[]), [0usize; 0], "beside the first");
        assert_eq!(add(&read_a, &[]), [0]);
        assert_eq!(add(&read_a, &[]), [0], "reads run beside one another");
        assert_eq!(add(&write_a, &[1]), [1, 3, 2], "and before the write");
        assert_eq!(add(&read_a, &[]), [4], "which stands for all before it");
        assert_eq!(
            add(&write_b, &[5, 5]),
            [5],
            "what is asked for twice is there once"
        );
        for _ in 0..70 {
            add(&write_b, &[]);
        }
        assert_eq!(add(&write_a, &[76]), [76]);
    }
}
