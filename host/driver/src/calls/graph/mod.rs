//! "Graph Management", and the calls of "Stream Management" that capture.
//!
//! Graphs are not synchronised by CUDA: a program that uses one from two threads at a time is
//! wrong. Here that is no undefined behaviour, only an order that nobody chose.

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

/// The context that `handle` names, or the current one.
fn context_or_current(handle: CUcontext) -> Result<Arc<Context>> {
    if handle == CUcontext::default() {
        return context::current();
    }
    usable_context(handle)
}

/// The context that `handle` names, in which nothing has failed; null names none.
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
    // SAFETY: not null, so valid as the caller states.
    Ok(unsafe { params.cast::<T>().read() })
}

/// The caller's list of nodes; null only if it is empty.
///
/// # Safety
/// `list` is null or has `count` elements.
unsafe fn nodes(list: *const CUgraphNode, count: usize, name: &str) -> Result<Vec<CUgraphNode>> {
    if count == 0 {
        return Ok(Vec::new());
    }
    present(list, name)?;
    // SAFETY: not null, so so many elements as the caller states.
    Ok(unsafe { std::slice::from_raw_parts(list, count) }.to_vec())
}

/// Answers "how many, and which": without `list`, the number; with it, as many as fit, null after
/// the last, and how many those are.
///
/// # Safety
/// `count` is null or valid; `list` is null or has as many elements as `count` says.
unsafe fn give<T: Copy + Default>(found: &[T], list: *mut T, count: *mut usize) -> Result {
    if list.is_null() {
        // SAFETY: the caller's contract.
        return unsafe { put(count, found.len(), "numNodes") };
    }
    present(count, "numNodes")?;
    // SAFETY: not null, so valid as the caller states.
    let room = unsafe { count.read() };
    for i in 0..room {
        // SAFETY: the caller's contract: this many elements.
        unsafe { list.add(i).write(found.get(i).copied().unwrap_or_default()) };
    }
    // SAFETY: as above.
    unsafe { put(count, found.len().min(room), "numNodes") }
}

/// Refuses edges that are more than "after", which only the device side can use.
///
/// # Safety
/// `data` is null or has `count` elements.
unsafe fn plain_edges(data: *const std::ffi::c_void, count: usize) -> Result {
    use crate::abi::CUgraphEdgeData;
    if data.is_null() {
        return Ok(());
    }
    // SAFETY: not null, so so many elements as the caller states.
    let data = unsafe { std::slice::from_raw_parts(data.cast::<CUgraphEdgeData>(), count) };
    ensure!(
        data.iter().all(|edge| *edge == CUgraphEdgeData::default()),
        ERROR_NOT_SUPPORTED,
        "edges with ports or a type of their own (programmatic launches) are not simulated"
    );
    Ok(())
}
