//! Nodes, as those who build graphs know them.

use std::marker::PhantomData;

/// A node of the graph that is being built, for others to wait for.
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
    // No other graph's lifetime will do, longer or shorter.
    graph: PhantomData<fn(&'graph ()) -> &'graph ()>,
}

/// A kernel's node, to be given other arguments in graphs made executable: [`Graph::set_launch`](super::Graph::set_launch).
#[derive(Debug)]
pub struct KernelNode<K> {
    pub(super) key: u64,
    pub(super) kernel: PhantomData<fn() -> K>,
}

impl<K> KernelNode<K> {
    /// Which node it is.
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

/// The node of a number, of a builder with this lifetime.
pub(super) fn node<'graph>(number: usize) -> Node<'graph> {
    Node {
        number,
        graph: PhantomData,
    }
}
