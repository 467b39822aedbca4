//! Conditional nodes: `if`, `while` and `switch` within a graph, decided on the device.
//!
//! A condition is a number that kernels set ([`lanewise_std::graph::Condition`]) and that exactly
//! one conditional node reads; the host takes no part. So a condition has two halves: the node
//! takes the [`GraphCondition`], and any launches of the graph, in bodies too, take the
//! [`ConditionSetter`]. A launch that sets a condition runs before the node that reads it, as a
//! launch that writes a buffer runs before one that reads the buffer.
//!
//! Source: CUDA C++ Programming Guide, "Conditional Graph Nodes"; CUDA driver
//! API, `cuGraphConditionalHandleCreate`, `CUDA_CONDITIONAL_NODE_PARAMS`.

use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, Location, catch_unwind, resume_unwind};
use std::ptr::{null, null_mut};
use std::sync::Arc;

use lanewise_driver::abi::enums::{graph_conditional, graph_node_type};
use lanewise_driver::abi::{CUDA_CONDITIONAL_NODE_PARAMS, CUgraph, CUgraphNodeParams};
use lanewise_driver::api;
use lanewise_std::graph::Condition;

use super::{GraphBuilder, NewNode};
use crate::graph::error::GraphError;
use crate::graph::node::Node;
use crate::graph::template::{Handle, NodeType, TemplateNode, placed};
use crate::graph::uses::Recordable;
use crate::launch::argument::{Argument, ArgumentList};
use crate::stream::order::{Access, Order};
use crate::{DriverError, Stream};

/// The half of a condition that its conditional node takes. The other half
/// is the [`ConditionSetter`].
#[derive(Debug)]
pub struct GraphCondition<'graph> {
    setter: ConditionSetter<'graph>,
}

/// The half of a condition that kernels set: launches of the graph take it, by reference, for a
/// [`Condition`]. Other launches refuse it.
#[derive(Debug, Clone)]
pub struct ConditionSetter<'graph> {
    handle: u64,
    /// For the order among the nodes that use the condition.
    order: Order<Stream>,
    // Invariant: no other graph's lifetime will do, longer or shorter.
    graph: PhantomData<fn(&'graph ()) -> &'graph ()>,
}

// SAFETY: the argument is one value, the driver's handle. The list accepts it only for a node of
// the condition's own graph, which keeps the handle alive.
unsafe impl Argument<Condition> for &ConditionSetter<'_> {
    fn pass(self, list: &mut ArgumentList<'_>) -> Result<(), DriverError> {
        list.push_of_graph(&self.order, self.handle)
    }
}
// SAFETY: the setter points to no memory of the program.
unsafe impl Recordable for &ConditionSetter<'_> {}

impl<'graph> GraphBuilder<'graph> {
    /// Adds a condition, whose value is `initial` whenever a launch of the graph begins.
    ///
    /// ```
    /// use kernels::halve;
    /// use lanewise::{Device, DeviceBuffer, LaunchConfig};
    ///
    /// let device = Device::open()?;
    /// let stream = device.stream()?;
    /// let mut number = DeviceBuffer::from_slice(&device, &[40u32])?;
    /// let mut rounds = DeviceBuffer::from_slice(&device, &[0u32])?;
    ///
    /// let (template, ()) = device.build_graph(|graph| {
    ///     let (is_even, setter) = graph.condition(1)?;
    ///     graph.while_loop(&[], is_even, |body| {
    ///         let one = LaunchConfig::new(1, 1);
    ///         body.launch(&[], halve, one, (&mut number, &mut rounds, &setter))?;
    ///         Ok(())
    ///     })?;
    ///     Ok(())
    /// })?;
    /// template.instantiate()?.launch(&stream)?;
    /// assert_eq!((number.to_vec()?, rounds.to_vec()?), (vec![5], vec![3]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The driver's error. Conditions need CUDA 12.3.
    #[doc(alias = "cuGraphConditionalHandleCreate")]
    #[track_caller]
    pub fn condition(
        &mut self,
        initial: u32,
    ) -> Result<(GraphCondition<'graph>, ConditionSetter<'graph>), GraphError> {
        /// `CU_GRAPH_COND_ASSIGN_DEFAULT`: each launch begins with the default value.
        const ASSIGN_DEFAULT: u32 = 1;
        let at = Location::caller();
        self.device.make_current(at)?;
        let mut handle = 0;
        let (graph, _turn) = self.handle.turn();
        // SAFETY: `handle` is valid for a write, and the graph and the context are live.
        let result = unsafe {
            api::cuGraphConditionalHandleCreate(
                &mut handle,
                graph,
                self.context(),
                initial,
                ASSIGN_DEFAULT,
            )
        };
        DriverError::check("cuGraphConditionalHandleCreate", result, at)?;
        let setter = ConditionSetter {
            handle,
            order: Order::of_graph(self.number),
            graph: PhantomData,
        };
        let condition = GraphCondition {
            setter: setter.clone(),
        };
        Ok((condition, setter))
    }

    /// Adds a node that runs the nodes that `then` adds, if the condition is not 0.
    ///
    /// # Errors
    /// The error that `then` returns, in which case the nodes that it has added stay;
    /// [`GraphError::OtherGraph`] for a condition of another graph; the driver's error.
    #[track_caller]
    pub fn if_then(
        &mut self,
        after: &[Node<'graph>],
        condition: GraphCondition<'_>,
        then: impl for<'body> FnOnce(&mut GraphBuilder<'body>) -> Result<(), GraphError>,
    ) -> Result<Node<'graph>, GraphError> {
        let how = ("an if node", graph_conditional::IF, Location::caller());
        self.conditional(after, condition, how, 1, |bodies| match bodies {
            [body] => then(body),
            _ => Ok(()),
        })
    }

    /// Adds a node with two bodies, which `build` fills: the first runs if the condition is not 0,
    /// else the second.
    ///
    /// # Errors
    /// As [`Self::if_then`]. Needs CUDA 12.8.
    #[track_caller]
    pub fn if_else(
        &mut self,
        after: &[Node<'graph>],
        condition: GraphCondition<'_>,
        build: impl for<'then, 'otherwise> FnOnce(
            &mut GraphBuilder<'then>,
            &mut GraphBuilder<'otherwise>,
        ) -> Result<(), GraphError>,
    ) -> Result<Node<'graph>, GraphError> {
        let how = ("an if node", graph_conditional::IF, Location::caller());
        self.conditional(after, condition, how, 2, |bodies| match bodies {
            [then, otherwise] => build(then, otherwise),
            _ => Ok(()),
        })
    }

    /// Adds a node that runs the nodes that `body` adds while the condition is not 0. The condition
    /// is read before each round.
    ///
    /// A loop whose kernels never set the condition to 0 does not end on a GPU. The simulator ends
    /// the launch with an error after 100,000 rounds, or as many as `LANEWISE_BUDGET` says.
    ///
    /// # Errors
    /// As [`Self::if_then`].
    #[track_caller]
    pub fn while_loop(
        &mut self,
        after: &[Node<'graph>],
        condition: GraphCondition<'_>,
        body: impl for<'body> FnOnce(&mut GraphBuilder<'body>) -> Result<(), GraphError>,
    ) -> Result<Node<'graph>, GraphError> {
        let how = ("a while node", graph_conditional::WHILE, Location::caller());
        self.conditional(after, condition, how, 1, |bodies| match bodies {
            [round] => body(round),
            _ => Ok(()),
        })
    }

    /// Adds a node with this many bodies, numbered from 0. The body whose number the condition has
    /// runs; if there is none, nothing does. `build` is called for each body.
    ///
    /// # Errors
    /// As [`Self::if_then`]; the driver's error for no bodies at all. Needs CUDA 12.8.
    #[track_caller]
    pub fn switch(
        &mut self,
        after: &[Node<'graph>],
        condition: GraphCondition<'_>,
        bodies: usize,
        mut build: impl for<'body> FnMut(usize, &mut GraphBuilder<'body>) -> Result<(), GraphError>,
    ) -> Result<Node<'graph>, GraphError> {
        let how = (
            "a switch node",
            graph_conditional::SWITCH,
            Location::caller(),
        );
        self.conditional(after, condition, how, bodies, |bodies| {
            let mut numbered = bodies.iter_mut().enumerate();
            numbered.try_for_each(|(number, body)| build(number, body))
        })
    }

    fn conditional(
        &mut self,
        after: &[Node<'graph>],
        condition: GraphCondition<'_>,
        (what, how, at): (&'static str, u32, &'static Location<'static>),
        bodies: usize,
        fill: impl for<'body> FnOnce(&mut [GraphBuilder<'body>]) -> Result<(), GraphError>,
    ) -> Result<Node<'graph>, GraphError> {
        let GraphCondition { setter } = condition;
        if setter.order.graph() != Some(self.number) {
            return Err(GraphError::OtherGraph);
        }
        let mut params = CUgraphNodeParams {
            kind: graph_node_type::CONDITIONAL,
            reserved0: [0; 3],
            params: [0; 29],
            reserved2: 0,
        };
        let inner: *mut CUDA_CONDITIONAL_NODE_PARAMS = params.params.as_mut_ptr().cast();
        // SAFETY: the structure fits into the field, which has the alignment of the structure.
        unsafe {
            inner.write(CUDA_CONDITIONAL_NODE_PARAMS {
                handle: setter.handle,
                kind: how,
                size: u32::try_from(bodies).unwrap_or(u32::MAX),
                graphs: null_mut(),
                ctx: self.context(),
            });
        }
        let new = NewNode {
            what: format!("{what} at {at}"),
            kind: NodeType::Conditional,
            uses: vec![(setter.order, Access::Write)],
            keeps: Vec::new(),
        };
        let call = ("cuGraphAddNode", at);
        let added = self.add(after, new, call, |node, graph, after, count| {
            let params = (&raw mut params).cast();
            // SAFETY: `node` is valid for a write, the graph is live, and `after` points to `count`
            // of its nodes. The driver writes the addresses of the bodies to `params`.
            unsafe { api::cuGraphAddNode_v2(node, graph, after, null(), count, params) }
        })?;
        // SAFETY: the driver has written a list with a graph for each body, which lives as long
        // as the node.
        let graphs: Vec<CUgraph> = unsafe {
            let graphs = (*params
                .params
                .as_ptr()
                .cast::<CUDA_CONDITIONAL_NODE_PARAMS>())
            .graphs;
            (0..bodies).map(|body| graphs.add(body).read()).collect()
        };
        let body = |graph| GraphBuilder {
            device: self.device.clone(),
            // The body is part of this graph, and shares its memory and conditions.
            number: self.number,
            handle: Arc::new(Handle::body(graph, &self.handle)),
            nodes: Vec::new(),
            allocated: Vec::new(),
            is_body: true,
            graph: PhantomData,
        };
        let mut bodies: Vec<_> = graphs.into_iter().map(body).collect();
        // Also if `build` failed: nodes that it has added run, and what they use has to be known.
        let filled = catch_unwind(AssertUnwindSafe(|| fill(&mut bodies)));
        let nodes = || bodies.iter().flat_map(|body| &body.nodes);
        let entry = &mut self.nodes[added.number];
        entry
            .uses
            .extend(nodes().flat_map(|node| node.uses.clone()));
        entry
            .keeps
            .extend(nodes().flat_map(|node| node.keeps.clone()));
        let settled = self.settle(added, at);
        // A panic or an error of the program's comes before the driver's.
        filled.unwrap_or_else(|panic| resume_unwind(panic))?;
        settled.map(|()| added)
    }

    /// Makes the last node, whose uses are known only now, wait for the nodes before it that use
    /// the same memory.
    fn settle(
        &mut self,
        last: Node<'graph>,
        at: &'static Location<'static>,
    ) -> Result<(), GraphError> {
        let (earlier, later) = self.nodes.split_at_mut(last.number);
        let Some(entry) = later.first_mut() else {
            return Ok(());
        };
        let TemplateNode { direct, uses, .. } = &*entry;
        let (all, before) = placed(earlier, direct, uses);
        let new: Vec<usize> = all
            .iter()
            .copied()
            .filter(|n| !direct.contains(n))
            .collect();
        let from: Vec<_> = new.iter().map(|&number| earlier[number].handle).collect();
        let to = vec![entry.handle; from.len()];
        (entry.direct, entry.before) = (all, before);
        if from.is_empty() {
            return Ok(());
        }
        let (graph, _turn) = self.handle.turn();
        // SAFETY: the graph is live, and `from` and `to` each have `from.len()` of its nodes.
        let result =
            unsafe { api::cuGraphAddDependencies(graph, from.as_ptr(), to.as_ptr(), from.len()) };
        Ok(DriverError::check("cuGraphAddDependencies", result, at)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Device, DeviceBuffer};

    /// The driver cannot connect the node afterwards, because a node before it is gone. The panic
    /// is the first of the two failures.
    #[test]
    fn a_panic_in_a_body_comes_before_the_drivers_error() {
        let device = Device::open().expect("a device");
        let mut buffer = DeviceBuffer::<u32>::zeroed(&device, 40).expect("a buffer");
        let mut attempt = |panics: bool| {
            device.build_graph(|graph| {
                let (condition, _) = graph.condition(1)?;
                graph.fill_zero(&[], &mut buffer)?;
                let earlier = graph.nodes[0].handle;
                let filling = |body: &mut GraphBuilder<'_>| {
                    body.fill_zero(&[], &mut buffer)?;
                    // SAFETY: the node is live, and this is the only time that it is destroyed.
                    let gone = unsafe { api::cuGraphDestroyNode(earlier) };
                    assert_eq!(gone.0, 0);
                    match panics {
                        true => resume_unwind(Box::new("in the middle")),
                        false => Ok(()),
                    }
                };
                graph.if_then(&[], condition, filling).map(drop)
            })
        };
        attempt(false).expect_err("the earlier node is gone");
        let panic = catch_unwind(AssertUnwindSafe(|| attempt(true).map(drop)));
        let panic = panic.expect_err("it panics");
        assert_eq!(panic.downcast_ref(), Some(&"in the middle"));
    }
}
