//! Executable graphs, which can be launched and updated with other parameters.

use std::cell::Cell;
use std::marker::PhantomData;
use std::panic::Location;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use lanewise_driver::abi::{CUgraphExec, CUgraphNode, CUresult};
use lanewise_driver::api;
use lanewise_std::kernel::{Kernel, SafeKernel};

use super::builder::kernel_params;
use super::error::{GraphError, UpdateReason};
use super::node::KernelNode;
use super::record::{Record, Recorded};
use super::template::{Graph, Handle, NodeType, TemplateNode, uses};
use super::uses::{RecordableAll, Used, conflict, hold, hold_by};
use crate::journal::What;
use crate::launch::CheckedLaunch;
use crate::launch::argument::Recorded as RecordedUse;
use crate::stream::order::{Marked, Order};
use crate::{Arguments, Device, DriverError, LaunchConfig, LaunchError, Stream, late};

/// Recorded work, ready to be launched.
#[derive(Debug)]
pub struct ExecutableGraph {
    device: Device,
    executable: CUgraphExec,
    /// All buffers from outside that it uses, each once.
    uses: Vec<Used>,
    /// The graph that it was built from; `None` for recorded work.
    built: Option<Built>,
    /// Whether the driver has refused the last update. It may have changed some of the nodes
    /// before, so that the memory that the nodes use is not known.
    half_updated: bool,
    /// The streams on which it was launched, so that it is destroyed only after its launches.
    order: Order<Stream>,
    /// It is dropped last. After that, another executable graph may be made of the same graph.
    only: Option<OnlyExecutable>,
    // The driver allows calls on an executable graph from any thread, but only one at a time.
    one_at_a_time: PhantomData<Cell<()>>,
}

/// Marks that an executable graph of a graph exists. There is at most one.
#[derive(Debug)]
struct OnlyExecutable(Arc<AtomicBool>);

impl OnlyExecutable {
    /// Makes the mark, and fails if another executable graph exists.
    fn of(template: &Graph) -> Result<Self, GraphError> {
        match template.only.swap(true, Ordering::AcqRel) {
            true => Err(GraphError::ExecutableTwice),
            false => Ok(Self(template.only.clone())),
        }
    }
}

impl Drop for OnlyExecutable {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

/// The graph that an executable graph was made from. Its nodes identify those of
/// the executable graph.
struct Built {
    template: Arc<Handle>,
    nodes: Vec<TemplateNode>,
}

impl std::fmt::Debug for Built {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} nodes", self.nodes.len())
    }
}

impl Device {
    /// Records the work that `work` adds, one operation after another. It runs when the
    /// graph is launched.
    ///
    /// # Errors
    /// The error that `work` returns; [`GraphError::BufferIsGone`] if it drops a buffer that it has
    /// recorded; or the driver's error.
    #[track_caller]
    pub fn record(
        &self,
        work: impl for<'recorded> FnOnce(&mut Record<'recorded>) -> Result<(), GraphError>,
    ) -> Result<ExecutableGraph, GraphError> {
        let at = Location::caller();
        let Recorded { graph, uses } = Recorded::of(self, work, at)?;
        ExecutableGraph::of(self, &graph, uses, None, at)
    }
}

impl Graph {
    /// Makes an executable graph. Later changes of this graph do not affect it.
    ///
    /// # Errors
    /// [`GraphError::BufferIsGone`], or the driver's error. A graph with memory of its own, or with
    /// conditional nodes, can have one executable graph at a time: [`GraphError::ExecutableTwice`].
    #[track_caller]
    pub fn instantiate(&self) -> Result<ExecutableGraph, GraphError> {
        let built = Built {
            template: self.handle.clone(),
            nodes: self.nodes.clone(),
        };
        let uses = built.uses();
        let at = Location::caller();
        let only = self
            .has_conditions()
            .then(|| OnlyExecutable::of(self))
            .transpose()?;
        let mut graph = ExecutableGraph::of(&self.device, &self.handle, uses, Some(built), at)?;
        graph.only = only;
        Ok(graph)
    }
}

impl Built {
    /// Returns the memory that all nodes use.
    fn uses(&self) -> Vec<Used> {
        uses(&self.nodes)
    }

    /// Returns the node's new uses, if they do not conflict with a node that may run beside it.
    fn may_use(&self, number: usize, uses: &[RecordedUse]) -> Result<Vec<Used>, GraphError> {
        let uses: Option<Vec<Used>> = uses.iter().cloned().collect();
        let uses = uses.ok_or(GraphError::NotWhole)?;
        let node = &self.nodes[number];
        let beside = |(other, there): &(usize, &TemplateNode)| {
            *other != number
                && !there.before.has(number)
                && !node.before.has(*other)
                && conflict(&there.uses, &uses)
        };
        match self.nodes.iter().enumerate().find(beside) {
            None => Ok(uses),
            Some((_, other)) => Err(GraphError::Unordered {
                node: node.what.clone(),
                other: other.what.clone(),
            }),
        }
    }
}

impl ExecutableGraph {
    fn of(
        device: &Device,
        graph: &Handle,
        uses: Vec<Used>,
        built: Option<Built>,
        at: &'static Location<'static>,
    ) -> Result<Self, GraphError> {
        let held = hold(&uses, at)?;
        device.make_current(at)?;
        let mut executable = CUgraphExec::default();
        let (graph, _turn) = graph.turn();
        // SAFETY: the result is written to a local variable, and the graph is live.
        let result = unsafe { api::cuGraphInstantiateWithFlags(&mut executable, graph, 0) };
        drop(held);
        DriverError::check("cuGraphInstantiateWithFlags", result, at)?;
        Ok(Self {
            device: device.clone(),
            executable,
            uses,
            built,
            half_updated: false,
            order: Order::default(),
            only: None,
            one_at_a_time: PhantomData,
        })
    }

    /// Queues the graph's work on `stream`, after the other uses of its buffers.
    ///
    /// # Errors
    /// [`GraphError::BufferIsGone`], [`GraphError::OtherDevice`], [`GraphError::HalfUpdated`], or
    /// the driver's error.
    #[track_caller]
    pub fn launch(&self, stream: &Stream) -> Result<(), GraphError> {
        let at = Location::caller();
        if stream.device() != &self.device {
            let (graph, stream) = (self.device.ordinal(), stream.device().ordinal());
            return Err(GraphError::OtherDevice { graph, stream, at });
        }
        if self.half_updated {
            return Err(GraphError::HalfUpdated { at });
        }
        let wait =
            |earlier: &Stream, mark: Option<&Marked<Stream>>| stream.wait_behind(earlier, mark);
        let _turn = self.device.launching();
        // Launches of one graph run one after another; the driver requires that too.
        let held = hold_by(Some(&self.order), &self.uses, at, |order, access| {
            Ok(order.hold_on(stream, access, wait)?)
        })?;
        self.device.make_current(at)?;
        // SAFETY: the executable graph is live, and so is the memory that its nodes use, because a
        // buffer that is held here cannot be dropped.
        let result = unsafe { api::cuGraphLaunch(self.executable, stream.handle()) };
        drop(held);
        DriverError::check("cuGraphLaunch", result, at)?;
        stream.note_launch(|| What::Graph, at);
        Ok(())
    }

    /// Replaces the work with the work that `work` adds. It must have the same kinds of operations
    /// in the same order, with other buffers and values. That is faster than making another graph.
    ///
    /// # Errors
    /// As [`Device::record`]: the graph is unchanged then. [`GraphError::NotUpdated`] if the kinds
    /// of work differ: the driver may have changed some of the nodes then, and the graph cannot be
    /// launched until an update succeeds.
    #[track_caller]
    pub fn update(
        &mut self,
        work: impl for<'recorded> FnOnce(&mut Record<'recorded>) -> Result<(), GraphError>,
    ) -> Result<(), GraphError> {
        let at = Location::caller();
        let Recorded { graph, uses } = Recorded::of(&self.device, work, at)?;
        self.update_by((&graph, &uses), |_| None, at)?;
        self.uses = uses;
        // The nodes are no longer those of the graph that this was built from.
        match self.built.take() {
            Some(built) => self.release(built),
            None => Ok(()),
        }
    }

    /// Takes the parameters of another graph's nodes. That graph must have the same nodes as
    /// the one that this was made from: added in the same order, of the same kinds and with
    /// the same dependencies.
    ///
    /// # Errors
    /// [`GraphError::NotUpdated`] with the reason, [`GraphError::HasConditions`], and
    /// [`GraphError::BufferIsGone`]. The graph is unchanged then, unless the driver's error is a
    /// source of the error: see [`Self::update`].
    #[track_caller]
    pub fn update_from(&mut self, graph: &Graph) -> Result<(), GraphError> {
        let at = Location::caller();
        graph.without_conditions()?;
        if let Some(built) = &self.built
            && let Some((reason, node)) = difference(&built.nodes, &graph.nodes)
        {
            return Err(GraphError::NotUpdated {
                reason,
                node,
                source: None,
            });
        }
        let name = |handle| {
            let found = graph.nodes.iter().find(|node| node.handle == handle);
            found.map(|node| node.what.clone())
        };
        let uses = graph.uses();
        self.update_by((&graph.handle, &uses), name, at)?;
        self.uses = uses;
        let Some(built) = &mut self.built else {
            return Ok(());
        };
        // The nodes' handles are still those of the graph that this was made from.
        let replace = |(node, new): (&mut TemplateNode, &TemplateNode)| {
            let new = TemplateNode {
                key: node.key,
                handle: node.handle,
                ..new.clone()
            };
            std::mem::replace(node, new)
        };
        let nodes = built.nodes.iter_mut().zip(&graph.nodes);
        let before: Vec<TemplateNode> = nodes.map(replace).collect();
        self.release(before)
    }

    /// Makes the driver update the graph.
    fn update_by(
        &mut self,
        (graph, uses): (&Handle, &[Used]),
        name: impl FnOnce(CUgraphNode) -> Option<String>,
        at: &'static Location<'static>,
    ) -> Result<(), GraphError> {
        let _held = hold(uses, at)?;
        self.device.make_current(at)?;
        let (graph, _turn) = graph.turn();
        let (mut node, mut why) = (CUgraphNode::default(), 0);
        // From CUDA 12 on there is a second version, which names one more node. SAFETY: both graphs
        // are live, and the results are written to local variables.
        let result = unsafe { api::cuGraphExecUpdate(self.executable, graph, &mut node, &mut why) };
        self.half_updated = result != CUresult::SUCCESS;
        DriverError::check("cuGraphExecUpdate", result, at).map_err(|source| match source.name() {
            "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE" => GraphError::NotUpdated {
                reason: UpdateReason::of_driver(why),
                node: name(node),
                source: Some(source),
            },
            _ => source.into(),
        })
    }

    /// Drops what the nodes had before an update, after the launches that may still use it.
    #[track_caller]
    fn release<T>(&self, before: T) -> Result<(), GraphError> {
        let finished = self.order.synchronize();
        if finished.is_err() {
            // A launch may still run one of the functions.
            std::mem::forget(before);
        }
        Ok(finished?)
    }

    /// Changes the shape and the arguments of a kernel node for later launches. The node is one of
    /// the graph that this was made from.
    ///
    /// # Errors
    /// As [`Stream::launch`]; [`GraphError::OtherGraph`]; [`GraphError::Unordered`] if the node
    /// would use the same memory as a node that may run beside it; [`GraphError::Kind`].
    #[track_caller]
    pub fn set_launch<K: SafeKernel, A: Arguments<K::Params> + RecordableAll>(
        &mut self,
        node: KernelNode<K>,
        config: LaunchConfig,
        arguments: A,
    ) -> Result<(), GraphError> {
        // SAFETY: a `SafeKernel` has no conditions that its caller must meet.
        unsafe { self.set_launch_unchecked(node, config, arguments) }
    }

    /// As [`Self::set_launch`], for a kernel that is unsafe to launch.
    ///
    /// # Errors
    /// As [`Self::set_launch`].
    ///
    /// # Safety
    /// The conditions of the kernel's `# Safety` section hold whenever the graph is launched.
    #[track_caller]
    pub unsafe fn set_launch_unchecked<K: Kernel, A: Arguments<K::Params> + RecordableAll>(
        &mut self,
        node: KernelNode<K>,
        config: LaunchConfig,
        arguments: A,
    ) -> Result<(), GraphError> {
        let at = Location::caller();
        let Some(built) = &mut self.built else {
            return Err(GraphError::OtherGraph);
        };
        let is_it = |entry: &TemplateNode| entry.key == node.key();
        let Some(number) = built.nodes.iter().position(is_it) else {
            return Err(GraphError::OtherGraph);
        };
        let entry = &built.nodes[number];
        if config.starts_early {
            let node = entry.what.clone();
            return Err(GraphError::StartsEarly { node });
        }
        let kind = NodeType::Kernel(config.cluster, config.cooperative || K::COOPERATIVE);
        if kind != entry.kind {
            let node = entry.what.clone();
            return Err(GraphError::Kind { node });
        }
        let kernel = self.device.kernel::<K>().map_err(LaunchError::from)?;
        let (executable, handle) = (self.executable, entry.handle);
        let stream = self.device.default_stream();
        // The driver is called only after the check that the node may have these arguments.
        let mut new = Err(GraphError::NotWhole);
        let mut set = |ready: CheckedLaunch<'_>| {
            new = built.may_use(number, ready.uses);
            if new.is_err() {
                return Ok(());
            }
            let params = kernel_params(ready);
            let (_, _turn) = built.template.turn();
            // SAFETY: the executable graph is live, the node is of the graph that it was made from,
            // and the parameters are those of the kernel.
            let result = unsafe {
                api::cuGraphExecKernelNodeSetParams_v2(
                    executable,
                    handle,
                    (&raw const params).cast(),
                )
            };
            DriverError::check("cuGraphExecKernelNodeSetParams", result, at)
        };
        // SAFETY: the caller promises the kernel's conditions. Each launch of the graph keeps order
        // with the buffers' other uses, and the graph keeps order among its nodes.
        unsafe { kernel.place_launch::<K, A>(&stream, None, config, arguments, &mut set) }?;
        built.nodes[number].uses = new?;
        self.uses = built.uses();
        Ok(())
    }
}

/// Returns the reason why nodes can't take the parameters of other nodes one by one.
fn difference(
    old: &[TemplateNode],
    new: &[TemplateNode],
) -> Option<(UpdateReason, Option<String>)> {
    if old.len() != new.len() {
        return Some((UpdateReason::Topology, None));
    }
    old.iter().zip(new).find_map(|(old, new)| {
        let reason = if old.direct != new.direct {
            UpdateReason::Topology
        } else if old.kind != new.kind {
            UpdateReason::NodeKind
        } else {
            return None;
        };
        Some((reason, Some(new.what.clone())))
    })
}

impl Drop for ExecutableGraph {
    fn drop(&mut self) {
        late::end(Ending {
            device: self.device.clone(),
            executable: self.executable,
            built: self.built.take(),
            order: self.order.clone(),
            only: self.only.take(),
        });
    }
}

/// An executable graph that was dropped.
struct Ending {
    device: Device,
    executable: CUgraphExec,
    built: Option<Built>,
    order: Order<Stream>,
    /// It is dropped last, as in the graph.
    only: Option<OnlyExecutable>,
}

impl Drop for Ending {
    fn drop(&mut self) {
        // A running launch keeps everything that it needs alive, except the host functions. This
        // waits for its stream, so that they are freed afterwards.
        if self.order.synchronize().is_err() {
            // After a fault one of the graph's functions may still run, so they are not freed.
            std::mem::forget((self.built.take(), self.only.take()));
        }
        let _ = self.device.make_current(Location::caller());
        // SAFETY: the handle was made by `cuGraphInstantiateWithFlags`, and is destroyed once. A
        // drop cannot report errors.
        let _ = unsafe { api::cuGraphExecDestroy(self.executable) };
    }
}
