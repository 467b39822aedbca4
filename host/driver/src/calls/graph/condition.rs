//! Conditions, and the nodes that use them.
//!
//! Unlike other nodes they have no default context: CUDA's reference does not define the null
//! context here, and an H200's driver refuses it.

use super::usable_context;
use crate::abi::enums::graph_conditional as kind;
use crate::abi::*;
use crate::calls::{present, put};
use crate::error::{Result, ensure, fail};
use crate::objects::graph::conditional::{Conditional, ConditionalKind};
use crate::objects::graph::{self, Graph, Kind};

/// `CU_GRAPH_COND_ASSIGN_DEFAULT`: a launch begins with the default as the condition's value.
const ASSIGN_DEFAULT: c_uint = 1;

/// The largest number of bodies. The manual has no limit, but a node with more would take gigabytes
/// of the host's memory.
const MOST_BODIES: c_uint = 1 << 16;

pub(crate) unsafe fn create(
    handle: *mut CUgraphConditionalHandle,
    graph: CUgraph,
    ctx: CUcontext,
    default: c_uint,
    flags: c_uint,
) -> Result {
    present(handle, "pHandle_out")?;
    ensure!(
        flags <= ASSIGN_DEFAULT,
        ERROR_INVALID_VALUE,
        "flags must be 0 or CU_GRAPH_COND_ASSIGN_DEFAULT (1), not {flags:#x}"
    );
    let graph = graph::get(graph)?;
    let context = usable_context(ctx)?;
    let default = (flags == ASSIGN_DEFAULT).then_some(default);
    let made = graph.condition(context.handle, default);
    // SAFETY: the caller keeps the contract.
    unsafe { put(handle, made.handle, "pHandle_out") }
}

/// Makes a conditional node for `graph`. Its bodies, which are empty, are written to the struct.
pub(super) fn node(params: &mut CUDA_CONDITIONAL_NODE_PARAMS, graph: &Graph) -> Result<Kind> {
    let CUDA_CONDITIONAL_NODE_PARAMS {
        handle,
        kind,
        size,
        ctx,
        ..
    } = *params;
    let (how, fits) = match kind {
        kind::IF => (ConditionalKind::If, (1..=2).contains(&size)),
        kind::WHILE => (ConditionalKind::While, size == 1),
        kind::SWITCH => (ConditionalKind::Switch, (1..=MOST_BODIES).contains(&size)),
        other => fail!(
            ERROR_INVALID_VALUE,
            "{other} is no CUgraphConditionalNodeType"
        ),
    };
    ensure!(
        fits,
        ERROR_INVALID_VALUE,
        "{size} bodies: an IF node has 1 or 2, a WHILE node 1, a SWITCH node 1 to {MOST_BODIES}"
    );
    let context = usable_context(ctx)?;
    let made = Conditional::new(graph, handle, context.handle, how, size as usize)?;
    params.graphs = made.handles();
    Ok(Kind::Conditional(made))
}
