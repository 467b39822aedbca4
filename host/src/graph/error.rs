//! Errors of graphs.

use std::fmt;
use std::panic::Location;

use lanewise_driver::abi::enums::graph_update as update;

use crate::error::in_words;
use crate::{DriverError, LaunchError, MemoryError};

/// Why a graph could not be recorded, launched or changed.
#[derive(thiserror::Error)]
pub enum GraphError {
    /// A launch in the graph is refused.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// A copy in the graph is refused.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// A library that was called while the graph was recorded returned an error.
    #[error(transparent)]
    Other(Box<dyn std::error::Error + Send + Sync>),
    /// The work uses memory that a graph cannot track.
    #[error(
        "a graph is recorded with whole device buffers: a part, a view, pitched, managed or mapped memory may be gone when it is launched"
    )]
    NotWhole,
    /// A buffer that the graph uses was dropped.
    #[error(
        "the graph used at {at} was made with a buffer that has been dropped since: make it again"
    )]
    BufferIsGone {
        /// The line of the program that used the graph.
        at: &'static Location<'static>,
    },
    /// The graph and the stream are of different devices.
    #[error(
        "the graph is of device {graph}, and was launched at {at} on a stream of device {stream}"
    )]
    OtherDevice {
        /// The number of the graph's device.
        graph: usize,
        /// The number of the stream's device.
        stream: usize,
        /// The line of the program that launched the graph.
        at: &'static Location<'static>,
    },
    /// The node belongs to another graph.
    #[error("the graph has no such node: it is of a graph that was built apart from it")]
    OtherGraph,
    /// With the new arguments, two nodes would use the same memory at the same time.
    #[error(
        "{node} would use what {other} writes or uses, and nothing says which of the two comes first: build the graph with these arguments"
    )]
    Unordered {
        /// The node that was to be changed.
        node: String,
        /// The node that may run at the same time.
        other: String,
    },
    /// A node keeps the cluster that it was built with, and whether its blocks wait for each other.
    #[error(
        "{node} can be given another shape, but neither another cluster nor another kind of launch: build the graph with them"
    )]
    Kind {
        /// The node, in words.
        node: String,
    },
    /// A programmatic start makes sense only in a stream, after another kernel.
    #[error(
        "{node} asks to start early, which only a kernel in a stream can: record it in a stream, or leave the request out"
    )]
    StartsEarly {
        /// The node, in words.
        node: String,
    },
    /// The body of a conditional node can't contain this node.
    #[error(
        "{node} can't be in the body of a conditional node: launches, copies, fills, graphs and conditional nodes can"
    )]
    NotInBody {
        /// The kind of node that was to be added.
        node: &'static str,
    },
    /// A kernel that launches kernels can't be in the body of a conditional node.
    #[error(
        "`{kernel}` launches kernels, and can't be in the body of a conditional node: make the kernels that it launches nodes of the body, or launch it outside of the body"
    )]
    LaunchesInBody {
        /// The name of the kernel.
        kernel: &'static str,
    },
    /// The graph has conditional nodes.
    #[error(
        "a graph with conditional nodes can't be cloned, extended, updated from or be a part of another one: its kernels know its conditions"
    )]
    HasConditions,
    /// The graph has conditional nodes, and an executable graph of it exists already.
    #[error(
        "a graph with conditional nodes is executable once at a time, as a condition has one value: drop the executable graph that is there"
    )]
    ExecutableTwice,
    /// The graph differs from the one that the executable graph was made from in
    /// more than parameters.
    #[error("the executable graph cannot be updated: {reason}{}", .node.as_ref().map(|node| format!(", at {node}")).unwrap_or_default())]
    NotUpdated {
        /// The difference that can't be updated.
        reason: UpdateReason,
        /// The node that differs, if it is known.
        node: Option<String>,
        /// The driver's error; `None` if the driver was not asked.
        source: Option<DriverError>,
    },
    /// The driver refused the last update of the graph, and may have changed a part of its nodes.
    #[error(
        "the graph launched at {at} was not updated as a whole, because the driver refused its last update: update it again, or make another one"
    )]
    HalfUpdated {
        /// The line of the program that launched the graph.
        at: &'static Location<'static>,
    },
    /// The text of the graph from the driver could not be read.
    #[error("the driver's print of the graph cannot be read")]
    Print(#[from] std::io::Error),
    /// The driver refused for another reason.
    #[error("the driver refused to work with the graph")]
    Driver(#[from] DriverError),
}

in_words! { GraphError }

/// Why an executable graph can't be updated from another graph.
///
/// Source: CUDA driver API, `CUgraphExecUpdateResult`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum UpdateReason {
    /// The nodes or the dependencies differ.
    Topology,
    /// A node is of another kind.
    NodeKind,
    /// A node has another kernel, and can't be changed to that kernel.
    Function,
    /// Parameters differ that can't be changed.
    Parameters,
    /// The node has a property that can't be updated.
    NotSupported,
    /// Another reason, by the driver's number.
    Other(u32),
}

impl UpdateReason {
    /// Returns the reason for the driver's number.
    pub(super) fn of_driver(number: u32) -> Self {
        match number {
            update::TOPOLOGY_CHANGED => Self::Topology,
            update::NODE_TYPE_CHANGED => Self::NodeKind,
            update::FUNCTION_CHANGED | update::UNSUPPORTED_FUNCTION_CHANGE => Self::Function,
            update::PARAMETERS_CHANGED => Self::Parameters,
            update::NOT_SUPPORTED => Self::NotSupported,
            other => Self::Other(other),
        }
    }
}

impl fmt::Display for UpdateReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Topology => "the new one has other nodes or other dependencies",
            Self::NodeKind => "a node of the new one is of another kind",
            Self::Function => "a kernel of the new one can't take the place of the old one",
            Self::Parameters => "parameters differ that can't be changed",
            Self::NotSupported => "a node can't be updated",
            Self::Other(number) => return write!(f, "the driver says {number}"),
        })
    }
}
