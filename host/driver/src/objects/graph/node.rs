//! Operations that can be captured: the work of graph nodes, and of streams.

use super::Graph;
use super::conditional::Conditional;
use super::memory::Reserved;
use crate::abi::enums::graph_node_type as node_type;
use crate::abi::{CUDA_MEMCPY3D, CUDA_MEMSET_NODE_PARAMS, c_void};
use crate::error::{Error, Result, fail};
use crate::objects::code::launch::KernelLaunch;
use crate::objects::context::Context;
use crate::objects::order;
use crate::objects::stream::event::Event;
use crate::time::engine::Engine;
use crate::time::operation::Cost;
use std::fmt;
use std::sync::Arc;

/// An operation, with everything that it needs to run repeatedly.
#[derive(Debug, Clone)]
pub(crate) enum Kind {
    Kernel(KernelLaunch),
    Copy(Copy),
    Set(Set),
    Host(Host),
    /// A whole graph, which belongs to the node.
    Child(Arc<Graph>),
    /// Graphs that run depending on a condition, and belong to the node.
    Conditional(Conditional),
    Empty,
    /// Waits for the point that the event had recorded last before the launch.
    Wait(Arc<Event>),
    Record(Arc<Event>),
    /// Makes memory usable. Its address is known already.
    Alloc(Arc<Reserved>),
    /// Ends the use of memory that an allocation node, of this graph or another, made usable.
    Free(u64),
}

/// Copies or sets bytes whose ranges were checked.
#[derive(Clone)]
pub(crate) struct Moves(pub(crate) Arc<dyn Fn() + Send + Sync>);

impl fmt::Debug for Moves {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Moves")
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Copy {
    pub(crate) context: Arc<Context>,
    pub(crate) described: CUDA_MEMCPY3D,
    pub(crate) moves: Moves,
    pub(crate) cost: Cost,
    pub(crate) bytes: u64,
}

/// The operation of a memset node.
#[derive(Debug, Clone)]
pub(crate) struct Set {
    pub(crate) context: Arc<Context>,
    pub(crate) described: CUDA_MEMSET_NODE_PARAMS,
    pub(crate) moves: Moves,
    pub(crate) cost: Cost,
    pub(crate) bytes: u64,
}

/// A call of a function of the program.
#[derive(Debug, Clone)]
pub(crate) struct Host {
    pub(crate) function: unsafe extern "C" fn(*mut c_void),
    pub(crate) data: UserData,
}

/// A pointer of the program that its function gets as an argument.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UserData(pub(crate) *mut c_void);

// SAFETY: nothing here dereferences the pointer. The contract of the calls that take one permits
// the program's function to use it on another thread.
unsafe impl Send for UserData {}
// SAFETY: as above.
unsafe impl Sync for UserData {}

impl Kind {
    /// Runs the operation. If the context has a fault, the operation does nothing.
    pub(crate) fn run(&self, fault: Option<&Error>) -> Result<Cost> {
        if fault.is_some() {
            return Ok(Cost::NOTHING);
        }
        order::set_label(match self {
            Kind::Kernel(launch) => format!("kernel `{}`", launch.function.kernel.name),
            other => format!("a {}", other.label()),
        });
        match self {
            Kind::Kernel(launch) => return launch.run(),
            Kind::Copy(Copy { moves, cost, .. }) | Kind::Set(Set { moves, cost, .. }) => {
                (moves.0)();
                return Ok(*cost);
            }
            Kind::Host(Host { function, data }) => {
                // SAFETY: by the contract of the call that made this operation, the function has
                // this type and may be called with this data each time.
                order::runs_on_host(|| unsafe { function(data.0) });
            }
            // The launch has handled what this process recorded.
            Kind::Wait(event) => {
                if let Some(points) = event.points() {
                    points.wait(points.latest());
                }
            }
            // A launch handles these before its nodes run.
            Kind::Child(_)
            | Kind::Conditional(_)
            | Kind::Empty
            | Kind::Record(_)
            | Kind::Alloc(_)
            | Kind::Free(_) => {}
        }
        Ok(Cost::NOTHING)
    }

    /// Returns the graphs that belong to it.
    pub(super) fn graphs(&self) -> &[Arc<Graph>] {
        match self {
            Kind::Child(child) => std::slice::from_ref(child),
            Kind::Conditional(conditional) => &conditional.bodies,
            _ => &[],
        }
    }

    /// Returns a copy of the operation for a clone of the graph.
    pub(crate) fn copied(&self) -> Result<Kind> {
        match self {
            Kind::Child(child) => Ok(Kind::Child(child.copy(true)?)),
            Kind::Alloc(_) | Kind::Free(_) => fail!(
                ERROR_NOT_SUPPORTED,
                "a graph that allocates or frees memory cannot be cloned or be a child, since its addresses are its own"
            ),
            Kind::Conditional(_) => fail!(
                ERROR_NOT_SUPPORTED,
                "a graph with conditional nodes cannot be cloned or be a child, since its kernels know its conditions' handles"
            ),
            other => Ok(other.clone()),
        }
    }

    /// Returns the node's kind as a `CUgraphNodeType`.
    pub(crate) fn node_type(&self) -> u32 {
        match self {
            Kind::Kernel(_) => node_type::KERNEL,
            Kind::Copy(_) => node_type::MEMCPY,
            Kind::Set(_) => node_type::MEMSET,
            Kind::Host(_) => node_type::HOST,
            Kind::Child(_) => node_type::GRAPH,
            Kind::Conditional(_) => node_type::CONDITIONAL,
            Kind::Empty => node_type::EMPTY,
            Kind::Wait(_) => node_type::WAIT_EVENT,
            Kind::Record(_) => node_type::EVENT_RECORD,
            Kind::Alloc(_) => node_type::MEM_ALLOC,
            Kind::Free(_) => node_type::MEM_FREE,
        }
    }

    /// Returns a name for the operation, in a word or two.
    pub(crate) fn label(&self) -> String {
        match self {
            Kind::Kernel(launch) => launch.function.kernel.name.clone(),
            Kind::Copy(copy) => match copy.cost.engine {
                Engine::HostToDevice => "copy to device".into(),
                Engine::DeviceToHost => "copy to host".into(),
                Engine::Peer => "copy between devices".into(),
                Engine::Compute(_) => "copy within device".into(),
                Engine::None => "copy on the host".into(),
            },
            Kind::Set(_) => "set".into(),
            Kind::Host(_) => "host function".into(),
            Kind::Child(_) => "graph".into(),
            Kind::Conditional(conditional) => conditional.label().into(),
            Kind::Empty => "empty".into(),
            Kind::Wait(_) => "wait for event".into(),
            Kind::Record(_) => "record event".into(),
            Kind::Alloc(_) => "allocate".into(),
            Kind::Free(_) => "free".into(),
        }
    }
}
