//! Nodes that are graphs: a copy of another graph, or recorded work.

use std::panic::Location;

use lanewise_driver::api;

use super::{GraphBuilder, NewNode};
use crate::graph::error::GraphError;
use crate::graph::node::Node;
use crate::graph::record::{Record, Recorded};
use crate::graph::template::{Graph, Handle};
use crate::graph::uses::hold;

impl<'graph> GraphBuilder<'graph> {
    /// Adds a copy of another graph, as it is now, as one node. A graph that allocates memory can't
    /// be a node.
    ///
    /// # Errors
    /// [`GraphError::BufferIsGone`], or the driver's error.
    #[track_caller]
    pub fn child(
        &mut self,
        after: &[Node<'graph>],
        graph: &Graph,
    ) -> Result<Node<'graph>, GraphError> {
        graph.without_conditions()?;
        let new = NewNode {
            uses: graph.uses(),
            keeps: graph
                .nodes
                .iter()
                .flat_map(|node| node.keeps.clone())
                .collect(),
            ..NewNode::plain("a graph")
        };
        self.add_child(after, &graph.handle, new, Location::caller())
    }

    /// Adds recorded work as one node; its steps run one after
    /// another. See [`Device::record`](crate::Device::record).
    ///
    /// # Errors
    /// As [`Device::record`](crate::Device::record).
    #[track_caller]
    pub fn record(
        &mut self,
        after: &[Node<'graph>],
        work: impl for<'recorded> FnOnce(&mut Record<'recorded>) -> Result<(), GraphError>,
    ) -> Result<Node<'graph>, GraphError> {
        let at = Location::caller();
        let Recorded { graph, uses } = Recorded::of(&self.device, work, at)?;
        let new = NewNode {
            uses,
            ..NewNode::plain("recorded work")
        };
        self.add_child(after, &graph, new, at)
    }

    fn add_child(
        &mut self,
        after: &[Node<'graph>],
        child: &Handle,
        new: NewNode,
        at: &'static Location<'static>,
    ) -> Result<Node<'graph>, GraphError> {
        let new = NewNode {
            what: format!("{} at {at}", new.what),
            ..new
        };
        let uses = new.uses.clone();
        let _held = hold(&uses, at)?;
        let (child, _turn) = child.turn();
        let call = ("cuGraphAddChildGraphNode", at);
        Ok(self.add(after, new, call, |node, graph, after, count| {
            // SAFETY: `node` is valid for a write, both graphs are live, and `after` points to
            // `count` nodes of this graph.
            unsafe { api::cuGraphAddChildGraphNode(node, graph, after, count, child) }
        })?)
    }
}
