//! Nodes that concern the host: calls of its functions, and events.

use std::ffi::c_void;
use std::panic::Location;
use std::sync::Arc;

use lanewise_driver::abi::{CUDA_HOST_NODE_PARAMS, CUevent, CUgraph, CUgraphNode, CUresult};
use lanewise_driver::api;

use super::{GraphBuilder, NewNode};
use crate::Event;
use crate::graph::error::GraphError;
use crate::graph::node::Node;
use crate::graph::template::{HostFunction, KeptAlive};
use crate::late::run_host_function;

impl<'graph> GraphBuilder<'graph> {
    /// Adds a call of `function` on the host. At every launch of the graph, a thread of the
    /// driver makes it.
    ///
    /// The function must not use the device. It may drop objects of the device, as for
    /// [`Stream::call`](crate::Stream::call). If it panics, the message is printed.
    ///
    /// # Errors
    /// The driver's error.
    #[track_caller]
    pub fn call(
        &mut self,
        after: &[Node<'graph>],
        function: impl Fn() + Send + Sync + 'static,
    ) -> Result<Node<'graph>, GraphError> {
        /// Calls the function at `data`.
        unsafe extern "C" fn run(data: *mut c_void) {
            // SAFETY: `data` points to the box in the `Arc` that is kept for the node, and every
            // launch of the graph keeps the node's `Arc` alive.
            let function = unsafe { &*data.cast::<Box<dyn Fn() + Send + Sync>>() };
            run_host_function(function);
        }
        self.not_in_body("a call of the host")?;
        let at = Location::caller();
        let function: HostFunction = Arc::new(Box::new(function));
        let params = CUDA_HOST_NODE_PARAMS {
            function: Some(run),
            user_data: Arc::as_ptr(&function).cast_mut().cast(),
        };
        let new = NewNode {
            what: format!("the call at {at}"),
            keeps: vec![KeptAlive::Function(function)],
            ..NewNode::plain("a call of the host")
        };
        let call = ("cuGraphAddHostNode", at);
        Ok(self.add(after, new, call, |node, graph, after, count| {
            let params = (&raw const params).cast();
            // SAFETY: `node` is valid for a write, the graph is live, and `after` points to `count`
            // of its nodes. The function takes the data that `params` gives it.
            unsafe { api::cuGraphAddHostNode(node, graph, after, count, params) }
        })?)
    }

    /// Adds a node that records an event, for which work outside of the graph can wait.
    ///
    /// # Errors
    /// The driver's error, for example for an event of another device.
    #[track_caller]
    pub fn record_event(
        &mut self,
        after: &[Node<'graph>],
        event: &Event,
    ) -> Result<Node<'graph>, GraphError> {
        let call = ("cuGraphAddEventRecordNode", Location::caller());
        self.event(
            after,
            ("an event's record", event),
            call,
            |node, graph, after, count, event| {
                // SAFETY: `node` is valid for a write, the graph and the event are live, and
                // `after` points to `count` of the graph's nodes.
                unsafe { api::cuGraphAddEventRecordNode(node, graph, after, count, event) }
            },
        )
    }

    /// Adds a node that waits for an event: for its last recording outside of the graph before
    /// the graph's launch.
    ///
    /// # Errors
    /// The driver's error.
    #[track_caller]
    pub fn wait_event(
        &mut self,
        after: &[Node<'graph>],
        event: &Event,
    ) -> Result<Node<'graph>, GraphError> {
        let call = ("cuGraphAddEventWaitNode", Location::caller());
        self.event(
            after,
            ("a wait for an event", event),
            call,
            |node, graph, after, count, event| {
                // SAFETY: as above.
                unsafe { api::cuGraphAddEventWaitNode(node, graph, after, count, event) }
            },
        )
    }

    fn event(
        &mut self,
        after: &[Node<'graph>],
        (what, event): (&'static str, &Event),
        call: (&'static str, &'static Location<'static>),
        add: impl FnOnce(*mut CUgraphNode, CUgraph, *const CUgraphNode, usize, CUevent) -> CUresult,
    ) -> Result<Node<'graph>, GraphError> {
        self.not_in_body(what)?;
        let handle = event.handle();
        let new = NewNode {
            what: format!("{what} at {}", call.1),
            keeps: vec![KeptAlive::Event(event.clone())],
            ..NewNode::plain(what)
        };
        Ok(self.add(after, new, call, |node, graph, after, count| {
            add(node, graph, after, count, handle)
        })?)
    }
}
