//! Graphs built node by node.
//!
//! A builder lives in a closure, and its nodes carry the closure's lifetime. So a node can only
//! wait for nodes of the same graph that were made before it, and a cycle cannot be written down.
//! Each module below adds one kind of node.
//!
//! Source: CUDA driver API, "Graph Management"; CUDA C++ Programming Guide, "Creating a Graph Using
//! Graph APIs", "Graph Memory Nodes".

mod allocation;
mod child;
mod conditional;
mod host_side;
mod launch;
mod transfer;

use std::marker::PhantomData;
use std::panic::Location;
use std::sync::Arc;

use lanewise_driver::abi::{CUcontext, CUgraph, CUgraphNode, CUresult};
use lanewise_driver::api;

use super::error::GraphError;
use super::node::{Node, node};
use super::template::{Graph, Handle, KeptAlive, NodeType, TemplateNode, number, placed};
use super::uses::Used;
use crate::stream::order::Access;
use crate::{Device, DeviceBuffer, DeviceCopy, DriverError};

pub use conditional::{ConditionSetter, GraphCondition};
pub(super) use launch::kernel_params;
pub use transfer::GraphMemory;

/// A graph that is being built.
///
/// Every method that adds a node takes the nodes that it waits for. The node also waits for each
/// earlier node that writes what it uses, or uses what it writes. So a graph always gives the
/// result of running its nodes one after another, in the order in which they were added. Nodes that
/// are ordered by neither may run side by side.
pub struct GraphBuilder<'graph> {
    device: Device,
    number: u64,
    handle: Arc<Handle>,
    nodes: Vec<TemplateNode>,
    /// The graph's own memory that no node frees yet, by its address.
    allocated: Vec<(u64, Used)>,
    /// Whether this is the body of a conditional node.
    is_body: bool,
    graph: PhantomData<fn(&'graph ()) -> &'graph ()>,
}

impl std::fmt::Debug for GraphBuilder<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "a graph of {} nodes so far", self.nodes.len())
    }
}

impl Device {
    /// Builds a graph node by node. Nothing runs until the graph is instantiated and
    /// launched. Returns the graph together with the value that `build` returns, for example
    /// nodes to change later.
    ///
    /// ```
    /// use kernels::vec_add;
    /// use lanewise::{Device, DeviceBuffer, LaunchConfig};
    ///
    /// let device = Device::open()?;
    /// let stream = device.stream()?;
    /// let config = LaunchConfig::for_num_elems(100);
    /// let one = DeviceBuffer::from_slice(&device, &[1.0f32; 100])?;
    /// let [mut a, mut b, mut c] = [(); 3].map(|()| DeviceBuffer::<f32>::zeroed(&device, 100).unwrap());
    ///
    /// let (template, last) = device.build_graph(|graph| {
    ///     let filled = graph.fill(&[], &mut a, 5.0)?; // beside the next
    ///     graph.launch(&[], vec_add, config, (&one, &one, &mut b))?;
    ///     let (_, last) = graph.launch_to_change(&[filled], vec_add, config, (&a, &b, &mut c))?; // waits for both
    ///     Ok(last)
    /// })?;
    /// let mut executable = template.instantiate()?;
    /// executable.launch(&stream)?;
    /// assert_eq!(c.to_vec()?, [7.0; 100]);
    ///
    /// executable.set_launch(last, config, (&a, &a, &mut c))?;
    /// executable.launch(&stream)?;
    /// assert_eq!(c.to_vec()?, [10.0; 100]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The error that `build` returns, or the driver's error.
    #[track_caller]
    pub fn build_graph<R>(
        &self,
        build: impl for<'graph> FnOnce(&mut GraphBuilder<'graph>) -> Result<R, GraphError>,
    ) -> Result<(Graph, R), GraphError> {
        let at = Location::caller();
        self.make_current(at)?;
        let empty = Graph {
            device: self.clone(),
            handle: Arc::new(Handle::create(at)?),
            nodes: Vec::new(),
            only: Arc::default(),
        };
        continued(empty, build, at)
    }
}

impl Graph {
    /// A new graph with the nodes of this one and those that `build` adds. In `build`, the nodes of
    /// this one are [`GraphBuilder::nodes`].
    ///
    /// # Errors
    /// As [`Device::build_graph`] and [`Self::try_clone`].
    #[track_caller]
    pub fn extend<R>(
        &self,
        build: impl for<'graph> FnOnce(&mut GraphBuilder<'graph>) -> Result<R, GraphError>,
    ) -> Result<(Graph, R), GraphError> {
        continued(self.try_clone()?, build, Location::caller())
    }
}

/// Adds what `build` says to a graph that nobody else has yet.
fn continued<R>(
    graph: Graph,
    build: impl for<'graph> FnOnce(&mut GraphBuilder<'graph>) -> Result<R, GraphError>,
    at: &'static Location<'static>,
) -> Result<(Graph, R), GraphError> {
    let Graph {
        device,
        handle,
        nodes,
        only,
    } = graph;
    let mut builder = GraphBuilder {
        device,
        number: number(),
        handle,
        nodes,
        allocated: Vec::new(),
        is_body: false,
        graph: PhantomData,
    };
    let returned = build(&mut builder)?;
    while let Some((address, used)) = builder.allocated.pop() {
        builder.add_free(&[], address, used, at)?;
    }
    let GraphBuilder {
        device,
        handle,
        nodes,
        ..
    } = builder;
    let made = Graph {
        device,
        handle,
        nodes,
        only,
    };
    Ok((made, returned))
}

/// A node that the driver does not have yet.
struct NewNode {
    what: String,
    kind: NodeType,
    uses: Vec<Used>,
    keeps: Vec<KeptAlive>,
}

impl NewNode {
    /// A node that uses no memory and keeps nothing alive.
    fn plain(what: &'static str) -> Self {
        Self {
            what: what.to_owned(),
            kind: NodeType::Other(what),
            uses: Vec::new(),
            keeps: Vec::new(),
        }
    }
}

impl<'graph> GraphBuilder<'graph> {
    /// The nodes so far, in the order in which they were added.
    pub fn nodes(&self) -> impl Iterator<Item = Node<'graph>> + use<'graph> {
        (0..self.nodes.len()).map(node)
    }

    /// Adds a node with the driver call `call`, which takes the place for the result, the graph,
    /// and the nodes to wait for.
    fn add(
        &mut self,
        after: &[Node<'graph>],
        new: NewNode,
        (name, at): (&'static str, &'static Location<'static>),
        call: impl FnOnce(*mut CUgraphNode, CUgraph, *const CUgraphNode, usize) -> CUresult,
    ) -> Result<Node<'graph>, DriverError> {
        let after: Vec<usize> = after.iter().map(|node| node.number).collect();
        let (direct, before) = placed(&self.nodes, &after, &new.uses);
        let handles: Vec<_> = direct
            .iter()
            .map(|&number| self.nodes[number].handle)
            .collect();
        self.device.make_current(at)?;
        let mut handle = CUgraphNode::default();
        let (graph, _turn) = self.handle.turn();
        let result = call(&mut handle, graph, handles.as_ptr(), handles.len());
        DriverError::check(name, result, at)?;
        self.nodes.push(TemplateNode {
            key: number(),
            handle,
            what: new.what,
            kind: new.kind,
            direct,
            before,
            uses: new.uses,
            keeps: new.keeps,
        });
        Ok(node(self.nodes.len() - 1))
    }

    /// A node's use of a buffer.
    fn uses<T: DeviceCopy>(
        &self,
        buffer: &DeviceBuffer<T>,
        access: Access,
    ) -> Result<Used, GraphError> {
        buffer
            .recorded(&self.device.default_stream(), access, Some(self.number))
            .ok_or(GraphError::NotWhole)
    }

    /// The device's context as the driver's calls take it.
    fn context(&self) -> CUcontext {
        self.device.context()
    }

    /// Refuses a node that the body of a conditional node can't have.
    fn not_in_body(&self, node: &'static str) -> Result<(), GraphError> {
        match self.is_body {
            true => Err(GraphError::NotInBody { node }),
            false => Ok(()),
        }
    }

    /// Adds a node that does nothing: a join, where many nodes wait for many others.
    ///
    /// # Errors
    /// The driver's error.
    #[track_caller]
    pub fn empty(&mut self, after: &[Node<'graph>]) -> Result<Node<'graph>, GraphError> {
        self.add_empty(after, NewNode::plain("an empty node"), Location::caller())
    }

    fn add_empty(
        &mut self,
        after: &[Node<'graph>],
        new: NewNode,
        at: &'static Location<'static>,
    ) -> Result<Node<'graph>, GraphError> {
        let call = ("cuGraphAddEmptyNode", at);
        Ok(self.add(after, new, call, |node, graph, after, count| {
            // SAFETY: `node` is valid for a write, the graph is live, and `after` points to `count`
            // of its nodes.
            unsafe { api::cuGraphAddEmptyNode(node, graph, after, count) }
        })?)
    }
}
