//! The calls of "Graph Management", and those of "Stream Management" for capture.
//!
//! CUDA does not synchronise graphs: a program that uses one from two threads at a time is wrong.
//! Here that is no undefined behaviour, but the order is arbitrary.

pub(crate) mod add;
pub(crate) mod attributes;
pub(crate) mod capture;
pub(crate) mod condition;
pub(crate) mod exec;
pub(crate) mod memory;
pub(crate) mod node;
pub(crate) mod params;
pub(crate) mod topology;
pub(crate) mod user_object;

use super::{present, put};
use crate::abi::{CUcontext, CUgraphNode};
use crate::error::{Result, ensure};
use crate::objects::context::{self, Context};
use std::sync::Arc;

/// Returns the context that `handle` names, or the current one if it is null.
fn context_or_current(handle: CUcontext) -> Result<Arc<Context>> {
    if handle == CUcontext::default() {
        return context::current();
    }
    usable_context(handle)
}

/// Returns the context that `handle` names, which must have no fault. Null names no context.
fn usable_context(handle: CUcontext) -> Result<Arc<Context>> {
    let context = context::get(handle)?;
    context.check()?;
    Ok(context)
}

/// Reads the caller's struct.
///
/// # Safety
/// `params` is null or a valid `T`.
unsafe fn read<T: Copy>(params: *const std::ffi::c_void) -> Result<T> {
    present(params, "nodeParams")?;
    // SAFETY: the pointer is not null, so it is valid by the caller's contract.
    Ok(unsafe { params.cast::<T>().read() })
}

/// Returns the caller's list of nodes, which may be null only if it is empty.
///
/// # Safety
/// `list` is null or has `count` elements.
unsafe fn nodes(list: *const CUgraphNode, count: usize, name: &str) -> Result<Vec<CUgraphNode>> {
    if count == 0 {
        return Ok(Vec::new());
    }
    present(list, name)?;
    // SAFETY: the pointer is not null, so by the caller's contract it points to this many elements.
    Ok(unsafe { std::slice::from_raw_parts(list, count) }.to_vec())
}

/// Returns a list to the caller. Without `list`, it writes the number of elements to `count`.
/// With it, it writes as many elements as fit, fills the rest with null, and writes the number
/// of elements written.
///
/// # Safety
/// `count` is null or valid. `list` is null or has as many elements as `count` specifies.
unsafe fn give<T: Copy + Default>(found: &[T], list: *mut T, count: *mut usize) -> Result {
    if list.is_null() {
        // SAFETY: the caller keeps the contract.
        return unsafe { put(count, found.len(), "numNodes") };
    }
    present(count, "numNodes")?;
    // SAFETY: the pointer is not null, so it is valid by the caller's contract.
    let room = unsafe { count.read() };
    for i in 0..room {
        // SAFETY: by the caller's contract there are this many elements.
        unsafe { list.add(i).write(found.get(i).copied().unwrap_or_default()) };
    }
    // SAFETY: as above.
    unsafe { put(count, found.len().min(room), "numNodes") }
}

/// Refuses edges that are more than an ordering, which only the device side can use.
///
/// # Safety
/// `data` is null or has `count` elements.
unsafe fn plain_edges(data: *const std::ffi::c_void, count: usize) -> Result {
    use crate::abi::CUgraphEdgeData;
    if data.is_null() {
        return Ok(());
    }
    // SAFETY: the pointer is not null, so by the caller's contract it points to this many elements.
    let data = unsafe { std::slice::from_raw_parts(data.cast::<CUgraphEdgeData>(), count) };
    ensure!(
        data.iter().all(|edge| *edge == CUgraphEdgeData::default()),
        ERROR_NOT_SUPPORTED,
        "edges with ports or a type of their own (programmatic launches) are not simulated"
    );
    Ok(())
}
