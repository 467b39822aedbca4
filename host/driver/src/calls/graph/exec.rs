//! Executable graphs: instantiating, launching and changing them.

use super::params;
use super::read;
use crate::abi::enums::{
    graph_instantiate as flag, graph_instantiate_result as outcome, graph_update as update,
};
use crate::abi::*;
use crate::calls::{present, put, stream};
use crate::error::{Result, ensure, fail};
use crate::objects::graph::exec::{self, Refused};
use crate::objects::graph::{self, Kind, capture};

/// Makes an executable graph with the flags of `cuGraphInstantiateWithFlags`.
///
/// # Safety
/// `made` is null or valid.
unsafe fn make(made: *mut CUgraphExec, graph: CUgraph, flags: u64) -> Result {
    let graph = graph::get(graph)?;
    present(made, "phGraphExec")?;
    let exec = exec::instantiate(&graph, flags)?;
    // SAFETY: the caller keeps the contract.
    unsafe { put(made, exec.handle, "phGraphExec") }
}

pub(crate) unsafe fn instantiate(
    made: *mut CUgraphExec,
    graph: CUgraph,
    flags: c_ulonglong,
) -> Result {
    ensure!(
        flags & u64::from(flag::UPLOAD) == 0,
        ERROR_INVALID_VALUE,
        "CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD needs a stream; cuGraphInstantiateWithParams takes one"
    );
    // SAFETY: the caller keeps the contract.
    unsafe { make(made, graph, flags) }
}

pub(crate) unsafe fn instantiate_v2(
    made: *mut CUgraphExec,
    graph: CUgraph,
    error_node: *mut CUgraphNode,
    log: *mut c_char,
    size: usize,
) -> Result {
    // SAFETY: the caller keeps the contract. The reference permits the last three to be null.
    unsafe {
        if !error_node.is_null() {
            error_node.write(CUgraphNode::default());
        }
        if !log.is_null() && size > 0 {
            log.write(0);
        }
        make(made, graph, 0)
    }
}

pub(crate) unsafe fn instantiate_with_params(
    made: *mut CUgraphExec,
    graph: CUgraph,
    wanted: *mut c_void,
) -> Result {
    present(wanted, "instantiateParams")?;
    // SAFETY: the pointer is not null, so it is valid by the caller's contract.
    let wanted = unsafe { &mut *wanted.cast::<CUDA_GRAPH_INSTANTIATE_PARAMS>() };
    wanted.error_node = CUgraphNode::default();
    wanted.result = outcome::ERROR;
    if wanted.flags & u64::from(flag::UPLOAD) != 0 {
        stream(wanted.upload_stream)?;
    }
    if graph::get(graph)?.order().is_err() {
        wanted.result = outcome::INVALID_STRUCTURE;
    }
    // SAFETY: the caller keeps the contract.
    unsafe { make(made, graph, wanted.flags)? };
    wanted.result = outcome::SUCCESS;
    Ok(())
}

pub(crate) unsafe fn flags(handle: CUgraphExec, flags: *mut u64) -> Result {
    let exec = exec::get(handle)?;
    // SAFETY: the caller keeps the contract.
    unsafe { put(flags, exec.flags, "flags") }
}

pub(crate) unsafe fn launch(handle: CUgraphExec, on: CUstream) -> Result {
    let exec = exec::get(handle)?;
    let (context, stream) = stream(on)?;
    // An H200's driver refuses this and does not add a child node.
    capture::refuse(
        &stream,
        "launch an executable graph; add its graph as a child node",
    )?;
    context.launch(&stream, &exec)
}

pub(crate) unsafe fn upload(handle: CUgraphExec, on: CUstream) -> Result {
    exec::get(handle)?;
    // The simulator has no work to do before the launch.
    stream(on).map(|_| ())
}

pub(crate) unsafe fn destroy(handle: CUgraphExec) -> Result {
    exec::get(handle)?.destroy();
    Ok(())
}

pub(crate) unsafe fn set_kernel_v1(
    handle: CUgraphExec,
    node: CUgraphNode,
    what: *const c_void,
) -> Result {
    let exec = exec::get(handle)?;
    // SAFETY: the caller keeps the contract.
    exec.set(node, unsafe {
        params::kernel(&params::newer(&read(what)?))?
    })
}

pub(crate) unsafe fn set_kernel(
    handle: CUgraphExec,
    node: CUgraphNode,
    what: *const c_void,
) -> Result {
    let exec = exec::get(handle)?;
    // SAFETY: the caller keeps the contract.
    exec.set(node, unsafe {
        params::kernel(&read::<CUDA_KERNEL_NODE_PARAMS>(what)?)?
    })
}

pub(crate) unsafe fn set_copy(
    handle: CUgraphExec,
    node: CUgraphNode,
    what: *const CUDA_MEMCPY3D,
    ctx: CUcontext,
) -> Result {
    let exec = exec::get(handle)?;
    // SAFETY: the caller keeps the contract.
    exec.set(node, params::copy(&unsafe { read(what.cast())? }, ctx)?)
}

pub(crate) unsafe fn set_memset(
    handle: CUgraphExec,
    node: CUgraphNode,
    what: *const c_void,
    ctx: CUcontext,
) -> Result {
    let exec = exec::get(handle)?;
    // SAFETY: the caller keeps the contract.
    exec.set(node, params::set(&unsafe { read(what)? }, ctx)?)
}

pub(crate) unsafe fn set_host(
    handle: CUgraphExec,
    node: CUgraphNode,
    what: *const c_void,
) -> Result {
    let exec = exec::get(handle)?;
    // SAFETY: the caller keeps the contract.
    exec.set(
        node,
        params::host(&unsafe { read::<CUDA_HOST_NODE_PARAMS>(what)? })?,
    )
}

pub(crate) unsafe fn set_child(handle: CUgraphExec, node: CUgraphNode, child: CUgraph) -> Result {
    exec::get(handle)?.update_child(node, &graph::get(child)?)
}

pub(crate) unsafe fn set_recorded_event(
    handle: CUgraphExec,
    node: CUgraphNode,
    event: CUevent,
) -> Result {
    exec::get(handle)?.set(node, Kind::Record(params::event(event)?))
}

pub(crate) unsafe fn set_awaited_event(
    handle: CUgraphExec,
    node: CUgraphNode,
    event: CUevent,
) -> Result {
    exec::get(handle)?.set(node, Kind::Wait(params::event(event)?))
}

pub(crate) unsafe fn set_any(handle: CUgraphExec, node: CUgraphNode, what: *mut c_void) -> Result {
    let exec = exec::get(handle)?;
    // SAFETY: the caller keeps the contract.
    let kind = unsafe { params::any(what.cast(), None)? };
    ensure!(
        !matches!(exec.kind(node)?, Kind::Alloc(_) | Kind::Free(_)),
        ERROR_NOT_SUPPORTED,
        "allocations and frees cannot be changed in an executable graph"
    );
    exec.set(node, kind)
}

pub(crate) unsafe fn enable(handle: CUgraphExec, node: CUgraphNode, enabled: c_uint) -> Result {
    exec::get(handle)?.enable(node, enabled != 0)
}

pub(crate) unsafe fn is_enabled(
    handle: CUgraphExec,
    node: CUgraphNode,
    enabled: *mut c_uint,
) -> Result {
    let found = exec::get(handle)?.is_enabled(node)?;
    // SAFETY: the caller keeps the contract.
    unsafe { put(enabled, c_uint::from(found), "isEnabled") }
}

pub(crate) unsafe fn update(
    handle: CUgraphExec,
    graph: CUgraph,
    error_node: *mut CUgraphNode,
    result: *mut c_uint,
) -> Result {
    let mut info = CUgraphExecUpdateResultInfo::default();
    // SAFETY: a struct of this function's own.
    let outcome = unsafe { update_v2(handle, graph, (&raw mut info).cast()) };
    // SAFETY: the caller keeps the contract. The reference permits the node to be null.
    unsafe {
        if !error_node.is_null() {
            error_node.write(info.error_node);
        }
        put(result, info.result, "updateResult_out")?;
    }
    outcome
}

pub(crate) unsafe fn update_v2(handle: CUgraphExec, graph: CUgraph, info: *mut c_void) -> Result {
    let (exec, graph) = (exec::get(handle)?, graph::get(graph)?);
    let info: *mut CUgraphExecUpdateResultInfo = info.cast();
    present(info, "resultInfo")?;
    let (found, refused) = match exec.update(&graph) {
        Ok(()) => (
            CUgraphExecUpdateResultInfo {
                result: update::SUCCESS,
                ..CUgraphExecUpdateResultInfo::default()
            },
            None,
        ),
        Err(Refused { result, node, why }) => (
            CUgraphExecUpdateResultInfo {
                result,
                error_node: node,
                error_from_node: CUgraphNode::default(),
            },
            Some((node, why)),
        ),
    };
    // SAFETY: the caller keeps the contract.
    unsafe { put(info, found, "resultInfo")? };
    match refused {
        None => Ok(()),
        Some((node, why)) => fail!(
            ERROR_GRAPH_EXEC_UPDATE_FAILURE,
            "the graph differs by more than parameters, at node {:#x}: {why}; instantiate it anew",
            node.0
        ),
    }
}
