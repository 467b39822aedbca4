//! Stream capture: submitted work becomes a graph.

use super::{nodes, plain_edges};
use crate::abi::enums::capture_status as status;
use crate::abi::*;
use crate::calls::{present, put, stream};
use crate::error::{Result, ensure, fail};
use crate::objects::graph::{self, capture};

pub(crate) unsafe fn begin(handle: CUstream, mode: c_uint) -> Result {
    let (_, stream) = stream(handle)?;
    capture::begin(&stream, mode, graph::create(false), Vec::new())
}

/// `cuStreamBeginCapture` of CUDA 10.0, which has no mode argument. It uses the global mode.
pub(crate) unsafe fn begin_v1(handle: CUstream) -> Result {
    // SAFETY: the caller keeps the contract.
    unsafe { begin(handle, 0) }
}

pub(crate) unsafe fn begin_to_graph(
    handle: CUstream,
    graph: CUgraph,
    after: *const CUgraphNode,
    edges: *const c_void,
    count: usize,
    mode: c_uint,
) -> Result {
    let (_, stream) = stream(handle)?;
    let graph = graph::get(graph)?;
    // SAFETY: the caller keeps the contract.
    let after = unsafe {
        plain_edges(edges, count)?;
        nodes(after, count, "dependencies")?
    };
    after.iter().try_for_each(|&node| graph.own(node))?;
    capture::begin(&stream, mode, graph, after)
}

pub(crate) unsafe fn end(handle: CUstream, graph: *mut CUgraph) -> Result {
    let (_, stream) = stream(handle)?;
    present(graph, "phGraph")?;
    // SAFETY: the caller keeps the contract. After a failed capture there is no graph.
    unsafe { put(graph, CUgraph::default(), "phGraph")? };
    let made = capture::end(&stream)?;
    // SAFETY: the caller keeps the contract.
    unsafe { put(graph, made.handle, "phGraph") }
}

pub(crate) unsafe fn is_capturing(handle: CUstream, found: *mut c_uint) -> Result {
    let (context, stream) = stream(handle)?;
    context.permit(&stream)?;
    // SAFETY: the caller keeps the contract.
    unsafe { put(found, capture::status(&stream), "captureStatus") }
}

pub(crate) unsafe fn info(handle: CUstream, found: *mut c_uint, id: *mut u64) -> Result {
    // SAFETY: the caller keeps the contract.
    unsafe {
        info_v2(
            handle,
            found,
            id,
            std::ptr::null_mut(),
            std::ptr::null_mut(),
            std::ptr::null_mut(),
        )
    }
}

pub(crate) unsafe fn info_v2(
    handle: CUstream,
    found: *mut c_uint,
    id: *mut u64,
    graph: *mut CUgraph,
    after: *mut *const CUgraphNode,
    count: *mut usize,
) -> Result {
    let (context, stream) = stream(handle)?;
    context.permit(&stream)?;
    present(found, "captureStatus_out")?;
    let is = capture::status(&stream);
    // The list stays at this address until the next call that changes it, as
    // the reference requires.
    let part = stream.capturing.lock();
    let part = part.as_ref().filter(|_| is == status::ACTIVE);
    // SAFETY: the caller keeps the contract. The reference permits all but the status to be null,
    // and sets the others of a capture only.
    unsafe {
        put(found, is, "captureStatus_out")?;
        if let Some(part) = part {
            if !id.is_null() {
                id.write(part.capture().id);
            }
            if !graph.is_null() {
                graph.write(part.capture().graph.handle);
            }
            if !after.is_null() {
                after.write(part.after.as_ptr());
            }
            if !count.is_null() {
                count.write(part.after.len());
            }
        }
    }
    Ok(())
}

pub(crate) unsafe fn info_v3(
    handle: CUstream,
    found: *mut c_uint,
    id: *mut u64,
    graph: *mut CUgraph,
    after: *mut *const CUgraphNode,
    edges: *mut *const c_void,
    count: *mut usize,
) -> Result {
    if !edges.is_null() {
        // All edges are of the ordinary kind, which null stands for.
        // SAFETY: the caller keeps the contract.
        unsafe { edges.write(std::ptr::null()) };
    }
    // SAFETY: the caller keeps the contract.
    unsafe { info_v2(handle, found, id, graph, after, count) }
}

/// `CU_STREAM_SET_CAPTURE_DEPENDENCIES` replaces the dependencies; 0 adds to them.
const SET: c_uint = 1;

pub(crate) unsafe fn update_dependencies(
    handle: CUstream,
    after: *mut CUgraphNode,
    count: usize,
    flags: c_uint,
) -> Result {
    let (_, stream) = stream(handle)?;
    ensure!(
        flags <= SET,
        ERROR_INVALID_VALUE,
        "{flags:#x} are no CUstreamUpdateCaptureDependencies_flags"
    );
    // SAFETY: the caller keeps the contract.
    let wanted = unsafe { nodes(after, count, "dependencies")? };
    let mut part = stream.capturing.lock();
    let Some(part) = part.as_mut() else {
        fail!(
            ERROR_ILLEGAL_STATE,
            "the stream is not being captured, so nothing depends on anything"
        )
    };
    wanted
        .iter()
        .try_for_each(|&node| part.capture().graph.own(node))?;
    if flags == SET {
        part.after.clear();
    }
    for node in wanted {
        if !part.after.contains(&node) {
            part.after.push(node);
        }
    }
    Ok(())
}

pub(crate) unsafe fn update_dependencies_v2(
    handle: CUstream,
    after: *mut CUgraphNode,
    edges: *const c_void,
    count: usize,
    flags: c_uint,
) -> Result {
    // SAFETY: the caller keeps the contract.
    unsafe {
        plain_edges(edges, count)?;
        update_dependencies(handle, after, count, flags)
    }
}

pub(crate) unsafe fn exchange_mode(mode: *mut c_uint) -> Result {
    present(mode, "mode")?;
    // SAFETY: the pointer is not null, so it is valid by the caller's contract.
    let wanted = unsafe { mode.read() };
    // An H200's driver takes any number.
    // SAFETY: the caller keeps the contract.
    unsafe { put(mode, capture::exchange_mode(wanted), "mode") }
}
