//! Conditional nodes: nodes that run graphs of their own. A condition decides whether the graph
//! runs, how often, or which graph runs.
//!
//! Source: CUDA C++ Programming Guide, "Conditional Graph Nodes"; CUDA driver
//! API reference, `CUDA_CONDITIONAL_NODE_PARAMS`.

use super::{Graph, create};
use crate::abi::{CUcontext, CUgraph, CUgraphConditionalHandle, CUresult};
use crate::error::{Error, Result, ensure};
use crate::objects::condition::{self, Condition};
use crate::objects::handle::origin;
use crate::observe;
use lanewise_variables::BUDGET;
use std::sync::Arc;

/// The number of iterations after which a loop counts as hung, if no budget is set.
const ROUNDS: u64 = 100_000;

/// The kind of a conditional node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ConditionalKind {
    /// Runs the first body if the condition is not 0, else the second, if there is one.
    If,
    /// Runs the body while the condition is not 0.
    While,
    /// Runs the body whose number is the condition's value, if there is one.
    Switch,
}

/// The bodies of a conditional node, and the condition that selects among them.
#[derive(Debug, Clone)]
pub(crate) struct Conditional {
    pub(crate) condition: Arc<Condition>,
    how: ConditionalKind,
    pub(crate) bodies: Arc<[Arc<Graph>]>,
    /// The bodies' handles. The program has a pointer to them.
    handles: Arc<[CUgraph]>,
    /// The largest number of iterations of a loop.
    rounds: u64,
}

impl Conditional {
    /// Makes a node in `graph` with this many bodies, which have no nodes yet.
    pub(crate) fn new(
        graph: &Graph,
        handle: CUgraphConditionalHandle,
        context: CUcontext,
        how: ConditionalKind,
        bodies: usize,
    ) -> Result<Conditional> {
        let condition = condition::get(handle)?;
        ensure!(
            condition.graph == graph.handle || graph.is_child,
            ERROR_INVALID_VALUE,
            "the condition {handle:#x} is of another graph; make one for this graph, or for the one that it is a body of"
        );
        ensure!(
            condition.context == context,
            ERROR_INVALID_VALUE,
            "the condition {handle:#x} is of another context than the node"
        );
        ensure!(
            condition.take(),
            ERROR_INVALID_VALUE,
            "another node decides by the condition {handle:#x}; make one for each node"
        );
        let bodies: Arc<[_]> = (0..bodies)
            .map(|_| origin::aside(|| create(true)))
            .collect();
        let handles = bodies.iter().map(|body| body.handle).collect();
        Ok(Conditional {
            condition,
            how,
            bodies,
            handles,
            rounds: observe::now().launches.budget.unwrap_or(ROUNDS),
        })
    }

    /// Returns the list of the bodies' handles. It lives as long as the node.
    pub(crate) fn handles(&self) -> *mut CUgraph {
        self.handles.as_ptr().cast_mut()
    }

    /// Returns the kind as one word.
    pub(crate) fn label(&self) -> &'static str {
        match self.how {
            ConditionalKind::If => "if",
            ConditionalKind::While => "while",
            ConditionalKind::Switch => "switch",
        }
    }

    /// Returns the condition's value when a node reads it.
    fn value(&self) -> Result<u32> {
        match self.condition.value() {
            Some(value) => Ok(value),
            None => Err(Error::loud(
                CUresult::ERROR_LAUNCH_FAILED,
                format_args!(
                    "the condition {:#x} has no value: it was made without a default, and no kernel of this launch has set it before a conditional \
                     node reads it\n= help: pass CU_GRAPH_COND_ASSIGN_DEFAULT to cuGraphConditionalHandleCreate, or set it in a kernel that the node \
                     waits for",
                    self.condition.handle
                ),
            )),
        }
    }

    /// Evaluates the condition and calls `run` with a body's number each time that the body
    /// has to run.
    pub(crate) fn run(&self, mut run: impl FnMut(usize) -> Result) -> Result {
        let count = self.bodies.len();
        match self.how {
            ConditionalKind::If => match self.value()? {
                0 if count == 1 => Ok(()),
                0 => run(1),
                _ => run(0),
            },
            ConditionalKind::Switch => match self.value()? as usize {
                body if body < count => run(body),
                _ => Ok(()),
            },
            ConditionalKind::While => {
                let mut rounds = 0;
                while self.value()? != 0 {
                    if rounds == self.rounds {
                        return Err(Error::loud(
                            CUresult::ERROR_LAUNCH_TIMEOUT,
                            format_args!(
                                "a while node of a graph has gone {rounds} rounds, and its condition {:#x} is still not 0\n= help: a kernel of its \
                                 body sets it to 0 when there is no more to do; {} says how many rounds a loop may go",
                                self.condition.handle, BUDGET.name
                            ),
                        ));
                    }
                    rounds += 1;
                    run(0)?;
                }
                Ok(())
            }
        }
    }
}
