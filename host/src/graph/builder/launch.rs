//! Nodes that are launches of kernels.

use std::marker::PhantomData;
use std::panic::Location;
use std::ptr::null_mut;

use lanewise_driver::abi::{CUDA_KERNEL_NODE_PARAMS, CUcontext, CUkernel};
use lanewise_driver::api;
use lanewise_std::kernel::{Kernel, SafeKernel};

use super::{GraphBuilder, NewNode};
use crate::graph::error::GraphError;
use crate::graph::node::{KernelNode, Node};
use crate::graph::template::NodeType;
use crate::graph::uses::RecordableAll;
use crate::launch::{CheckedLaunch, attributes};
use crate::{Arguments, DriverError, LaunchConfig, LaunchError};

impl<'graph> GraphBuilder<'graph> {
    /// Adds a launch of the kernel. It begins when the nodes of `after` have ended.
    ///
    /// # Errors
    /// As [`Stream::launch`](crate::Stream::launch); [`GraphError::NotWhole`];
    /// [`GraphError::StartsEarly`]; [`GraphError::LaunchesInBody`].
    #[track_caller]
    pub fn launch<K: SafeKernel, A: Arguments<K::Params> + RecordableAll>(
        &mut self,
        after: &[Node<'graph>],
        kernel: K,
        config: LaunchConfig,
        arguments: A,
    ) -> Result<Node<'graph>, GraphError> {
        // SAFETY: a `SafeKernel` has no safety conditions for its caller.
        unsafe { self.launch_unchecked(after, kernel, config, arguments) }
    }

    /// Adds a launch whose arguments can be changed later. Returns, beside the node, the handle to
    /// change it by.
    ///
    /// # Errors
    /// As [`Self::launch`].
    #[track_caller]
    pub fn launch_to_change<K: SafeKernel, A: Arguments<K::Params> + RecordableAll>(
        &mut self,
        after: &[Node<'graph>],
        kernel: K,
        config: LaunchConfig,
        arguments: A,
    ) -> Result<(Node<'graph>, KernelNode<K>), GraphError> {
        let node = self.launch(after, kernel, config, arguments)?;
        let (key, kernel) = (self.nodes[node.number].key, PhantomData);
        Ok((node, KernelNode { key, kernel }))
    }

    /// Adds a launch of a kernel that has safety conditions for its caller.
    ///
    /// # Errors
    /// As [`Self::launch`].
    ///
    /// # Safety
    /// The conditions in the kernel's `# Safety` section must hold whenever the graph is launched.
    #[track_caller]
    pub unsafe fn launch_unchecked<K: Kernel, A: Arguments<K::Params> + RecordableAll>(
        &mut self,
        after: &[Node<'graph>],
        _kernel: K,
        config: LaunchConfig,
        arguments: A,
    ) -> Result<Node<'graph>, GraphError> {
        let at = Location::caller();
        let what = format!("the launch of `{}` at {at}", K::NAME);
        if config.starts_early {
            return Err(GraphError::StartsEarly { node: what });
        }
        if K::LAUNCHES && self.is_body {
            return Err(GraphError::LaunchesInBody { kernel: K::NAME });
        }
        let device = self.device.clone();
        let kernel = device.kernel::<K>().map_err(LaunchError::from)?;
        let (stream, graph) = (device.default_stream(), Some(self.number));
        let mut added = Err(GraphError::NotWhole);
        let mut place = |ready: CheckedLaunch<'_>| {
            let Some(uses) = ready.uses.iter().cloned().collect() else {
                return Ok(()); // and `added` says why
            };
            let attributes = attributes(&ready.config);
            let new = NewNode {
                what: what.clone(),
                kind: NodeType::Kernel(ready.config.cluster, ready.config.cooperative),
                uses,
                keeps: Vec::new(),
            };
            let params = kernel_params(ready);
            let call = ("cuGraphAddKernelNode", at);
            let node = self.add(after, new, call, |node, graph, after, count| {
                let params = (&raw const params).cast();
                // SAFETY: `node` is valid for a write, the graph is live, and `after` points to
                // `count` of its nodes. The parameters are those of the kernel.
                unsafe { api::cuGraphAddKernelNode_v2(node, graph, after, count, params) }
            })?;
            let handle = self.nodes[node.number].handle;
            for attribute in attributes {
                // SAFETY: the node is live, and the value has the type of this attribute.
                let result = unsafe {
                    api::cuGraphKernelNodeSetAttribute(handle, attribute.id, &attribute.value)
                };
                DriverError::check("cuGraphKernelNodeSetAttribute", result, at)?;
            }
            added = Ok(node);
            Ok(())
        };
        // SAFETY: the caller guarantees the kernel's safety conditions. Within the graph its edges
        // order the uses of a buffer, and outside of it each launch of the graph does.
        unsafe { kernel.place_launch::<K, A>(&stream, graph, config, arguments, &mut place) }?;
        added
    }
}

/// A kernel node's parameters. Their pointers lead into `ready`.
pub(in crate::graph) fn kernel_params(ready: CheckedLaunch<'_>) -> CUDA_KERNEL_NODE_PARAMS {
    let LaunchConfig { grid, block, .. } = ready.config;
    CUDA_KERNEL_NODE_PARAMS {
        func: ready.function,
        grid: grid.into(),
        block: block.into(),
        shared_mem_bytes: ready.config.dynamic_shared,
        kernel_params: ready.params.as_mut_ptr(),
        extra: null_mut(),
        kern: CUkernel::default(),
        ctx: CUcontext::default(),
    }
}
