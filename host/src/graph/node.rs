//! The nodes of a graph, as its builder returns them.

use std::marker::PhantomData;

/// A node of the graph that is being built. Later nodes can depend on it.
///
/// It can't leave its builder:
/// ```compile_fail
/// # use lanewise::{Device, GraphError};
/// # fn f(device: Device) -> Result<(), GraphError> {
/// let (_, node) = device.build_graph(|graph| graph.empty(&[]))?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Node<'graph> {
    pub(super) number: usize,
    // Invariant, so that no other graph's lifetime fits.
    graph: PhantomData<fn(&'graph ()) -> &'graph ()>,
}

/// A kernel's node, whose arguments can be changed in executable graphs:
/// [`ExecutableGraph::set_launch`](super::ExecutableGraph::set_launch).
#[derive(Debug)]
pub struct KernelNode<K> {
    pub(super) key: u64,
    pub(super) kernel: PhantomData<fn() -> K>,
}

impl<K> KernelNode<K> {
    /// Returns the node's unique number.
    pub(super) fn key(self) -> u64 {
        self.key
    }
}

impl<K> Clone for KernelNode<K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K> Copy for KernelNode<K> {}

/// Makes the node with this number, for a builder with this lifetime.
pub(super) fn node<'graph>(number: usize) -> Node<'graph> {
    Node {
        number,
        graph: PhantomData,
    }
}
