//! Graphs: work that is described first and run later, as often as needed.
//!
//! Source: CUDA driver API reference, "Graph Management", and CUDA C++ Programming Guide, "CUDA
//! Graphs". A graph consists of edges and of nodes in the order in which they were added. It cannot
//! run itself: [`exec`] makes an executable graph from it. [`capture`] makes a graph from the calls
//! on a stream.

pub(crate) mod capture;
pub(crate) mod conditional;
pub(crate) mod dot;
pub(crate) mod exec;
pub(crate) mod memory;
mod node;
pub(crate) mod user_object;

pub(crate) use node::{Copy, Host, Kind, Moves, Set, UserData};

use super::condition::{self, Condition};
use super::handle::ledger::ObjectKind;
use super::handle::origin;
use super::handle::registry::Registry;
use crate::abi::{CUcontext, CUgraph, CUgraphNode};
use crate::error::{Result, ensure, fail};
use parking_lot::Mutex;
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use user_object::References;

/// All live graphs and their nodes.
pub(crate) static GRAPHS: Registry<CUgraph, Graph> = Registry::to_give_back(ObjectKind::Graph);
pub(crate) static NODES: Registry<CUgraphNode, Node> = Registry::new();

/// A dependency: the second waits for the first.
pub(crate) type Edge = (CUgraphNode, CUgraphNode);

/// A node: an operation, which can be changed until the graph is instantiated.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) handle: CUgraphNode,
    pub(crate) graph: CUgraph,
    pub(crate) kind: Mutex<Kind>,
}

#[derive(Debug)]
pub(crate) struct Graph {
    pub(crate) handle: CUgraph,
    /// Whether it belongs to a child node of another graph and is destroyed with it.
    pub(crate) is_child: bool,
    /// The user objects that it keeps alive.
    pub(crate) objects: References,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    nodes: Vec<Arc<Node>>,
    edges: Vec<Edge>,
    /// The conditions that its conditional nodes, and those of their bodies, use.
    conditions: Vec<Arc<Condition>>,
    /// For a clone: the node that each node of the original became.
    copies: HashMap<CUgraphNode, CUgraphNode>,
}

/// The nodes in an order in which each comes after the nodes that it waits for, with the
/// indices of those.
pub(crate) type Order = Vec<(Arc<Node>, Vec<usize>)>;

/// Returns the graph that `handle` names.
pub(crate) fn get(handle: CUgraph) -> Result<Arc<Graph>> {
    match GRAPHS.get(handle) {
        Some(graph) => Ok(graph),
        None => fail!(
            ERROR_INVALID_VALUE,
            "{:#x} is not a live graph: it was destroyed, or never was one",
            handle.0
        ),
    }
}

/// Returns the node that `handle` names.
pub(crate) fn node(handle: CUgraphNode) -> Result<Arc<Node>> {
    match NODES.get(handle) {
        Some(node) => Ok(node),
        None => fail!(
            ERROR_INVALID_VALUE,
            "{:#x} is not a live graph node: it or its graph was destroyed, or it never was one",
            handle.0
        ),
    }
}

/// Makes a graph without nodes.
pub(crate) fn create(is_child: bool) -> Arc<Graph> {
    GRAPHS.add(|handle| Graph {
        handle,
        is_child,
        objects: References::default(),
        state: Mutex::default(),
    })
}

impl Graph {
    /// Returns its nodes in the order in which they were added.
    pub(crate) fn nodes(&self) -> Vec<Arc<Node>> {
        self.state.lock().nodes.clone()
    }

    /// Returns its edges in the order in which they were added.
    pub(crate) fn edges(&self) -> Vec<Edge> {
        self.state.lock().edges.clone()
    }

    /// Adds a node that waits for the nodes in `after`, which must be of this graph.
    pub(crate) fn add(&self, kind: Kind, after: &[CUgraphNode]) -> Result<Arc<Node>> {
        let mut state = self.state.lock();
        let mut seen = HashSet::new();
        for &earlier in after {
            state.own(earlier)?;
            ensure!(
                seen.insert(earlier),
                ERROR_INVALID_VALUE,
                "the node {:#x} is named twice among the dependencies",
                earlier.0
            );
        }
        let node = NODES.add(|handle| Node {
            handle,
            graph: self.handle,
            kind: Mutex::new(kind),
        });
        state.nodes.push(node.clone());
        state
            .edges
            .extend(after.iter().map(|&from| (from, node.handle)));
        Ok(node)
    }

    /// Makes a condition that kernels of the graph may set.
    pub(crate) fn condition(&self, context: CUcontext, default: Option<u32>) -> Arc<Condition> {
        let condition = condition::create(self.handle, context, default);
        self.state.lock().conditions.push(condition.clone());
        condition
    }

    /// Adds dependencies between nodes of this graph.
    pub(crate) fn add_edges(&self, new: &[Edge]) -> Result {
        let mut state = self.state.lock();
        let mut known: HashSet<Edge> = state.edges.iter().copied().collect();
        for &(from, to) in new {
            state.own(from)?;
            state.own(to)?;
            ensure!(
                from != to,
                ERROR_INVALID_VALUE,
                "the node {:#x} cannot wait for itself",
                from.0
            );
            ensure!(
                known.insert((from, to)),
                ERROR_INVALID_VALUE,
                "{:#x} waits for {:#x} already",
                to.0,
                from.0
            );
        }
        state.edges.extend(new);
        Ok(())
    }

    /// Removes dependencies, which must exist.
    pub(crate) fn remove_edges(&self, old: &[Edge]) -> Result {
        let mut state = self.state.lock();
        for &(from, to) in old {
            ensure!(
                state.edges.contains(&(from, to)),
                ERROR_INVALID_VALUE,
                "{:#x} does not wait for {:#x}",
                to.0,
                from.0
            );
        }
        state.edges.retain(|edge| !old.contains(edge));
        Ok(())
    }

    /// Removes a node and its dependencies.
    pub(crate) fn remove(&self, node: &Node) {
        let mut state = self.state.lock();
        state.nodes.retain(|other| other.handle != node.handle);
        state
            .edges
            .retain(|&(from, to)| from != node.handle && to != node.handle);
        drop(state);
        NODES.remove(node.handle);
        node.kind.lock().graphs().iter().for_each(|it| it.destroy());
    }

    /// Removes the graph and its nodes.
    pub(crate) fn destroy(&self) {
        GRAPHS.remove(self.handle);
        for node in self.nodes() {
            self.remove(&node);
        }
        self.objects.release_all();
    }

    /// Makes a graph of the same nodes and dependencies. Child graphs are cloned as well.
    pub(crate) fn copy(&self, is_child: bool) -> Result<Arc<Graph>> {
        let copy = match is_child {
            true => origin::aside(|| create(true)),
            false => create(false),
        };
        copy.objects.retain_all(&self.objects);
        let edges = self.edges();
        let mut copies = HashMap::new();
        for node in self.nodes() {
            let kind = node.kind.lock().copied()?;
            let made = copy.add(kind, &[])?;
            copies.insert(node.handle, made.handle);
        }
        let mut state = copy.state.lock();
        state.edges = edges
            .iter()
            .filter_map(|(from, to)| Some((*copies.get(from)?, *copies.get(to)?)))
            .collect();
        state.copies = copies;
        drop(state);
        Ok(copy)
    }

    /// Returns the node that `original` became, if this graph is a clone.
    pub(crate) fn copy_of(&self, original: CUgraphNode) -> Option<CUgraphNode> {
        let copy = *self.state.lock().copies.get(&original)?;
        NODES.get(copy).map(|node| node.handle)
    }

    /// Checks that `node` belongs to this graph.
    pub(crate) fn own(&self, node: CUgraphNode) -> Result {
        self.state.lock().own(node)
    }

    /// Returns its nodes in an order in which each comes after the nodes that it waits for. If
    /// several could come next, the one that was added first does.
    pub(crate) fn order(&self) -> Result<Order> {
        let state = self.state.lock();
        let place: HashMap<CUgraphNode, usize> = state
            .nodes
            .iter()
            .enumerate()
            .map(|(i, node)| (node.handle, i))
            .collect();
        let mut waits = vec![Vec::new(); place.len()];
        let mut next = vec![Vec::new(); place.len()];
        for (from, to) in &state.edges {
            if let (Some(&from), Some(&to)) = (place.get(from), place.get(to)) {
                waits[to].push(from);
                next[from].push(to);
            }
        }
        let mut left: Vec<usize> = waits.iter().map(Vec::len).collect();
        let mut ready: VecDeque<usize> = (0..left.len()).filter(|&i| left[i] == 0).collect();
        let mut ordered = vec![usize::MAX; left.len()];
        let mut order: Order = Vec::with_capacity(left.len());
        while let Some(i) = ready.pop_front() {
            ordered[i] = order.len();
            let after = waits[i].iter().map(|&earlier| ordered[earlier]).collect();
            order.push((state.nodes[i].clone(), after));
            for &later in &next[i] {
                left[later] -= 1;
                if left[later] == 0 {
                    ready.push_back(later);
                }
            }
        }
        ensure!(
            order.len() == left.len(),
            ERROR_INVALID_VALUE,
            "the graph's dependencies go round in a circle, through node {:#x}",
            left.iter()
                .position(|&count| count > 0)
                .map_or(0, |i| state.nodes[i].handle.0)
        );
        Ok(order)
    }
}

impl State {
    fn own(&self, node: CUgraphNode) -> Result {
        ensure!(
            self.nodes.iter().any(|own| own.handle == node),
            ERROR_INVALID_VALUE,
            "{:#x} is no node of this graph",
            node.0
        );
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_follows_the_edges_and_then_the_order_of_adding() {
        let graph = create(false);
        let add = |after: &[CUgraphNode]| graph.add(Kind::Empty, after).unwrap().handle;
        let (a, b) = (add(&[]), add(&[]));
        let c = add(&[a]);
        graph.add_edges(&[(c, b)]).unwrap();
        let order: Vec<_> = graph.order().unwrap();
        let handles: Vec<_> = order.iter().map(|(node, _)| node.handle).collect();
        assert_eq!(handles, [a, c, b]);
        assert_eq!(order[2].1, [1]);
        graph.add_edges(&[(b, a)]).unwrap();
        assert!(graph.order().is_err(), "a circle has no order");
        graph.destroy();
        assert!(node(a).is_err());
    }

    #[test]
    fn a_clone_has_the_same_shape_and_knows_what_became_of_each_node() {
        let graph = create(false);
        let a = graph.add(Kind::Empty, &[]).unwrap().handle;
        let b = graph.add(Kind::Empty, &[a]).unwrap().handle;
        let copy = graph.copy(false).unwrap();
        let (copy_a, copy_b) = (copy.copy_of(a).unwrap(), copy.copy_of(b).unwrap());
        assert_eq!(copy.edges(), [(copy_a, copy_b)]);
        assert!(graph.copy_of(a).is_none());
        assert!(
            copy.add_edges(&[(a, copy_b)]).is_err(),
            "{a:?} is of another graph"
        );
    }
}
