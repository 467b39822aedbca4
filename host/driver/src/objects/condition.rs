//! Conditions of graphs: numbers that kernels set while a graph runs, and that its
//! conditional nodes read.
//!
//! Source: CUDA C++ Programming Guide, "Conditional Graph Nodes", "Conditional Handles". A
//! condition lives as long as its graph, or anything instantiated from it. If it has no default,
//! its value is undefined until a kernel sets it. It is an error if a node reads it before that.

use crate::abi::{CUcontext, CUgraph, CUgraphConditionalHandle};
use crate::error::{Result, fail};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};

/// A number that kernels set by its handle.
#[derive(Debug)]
pub(crate) struct Condition {
    pub(crate) handle: CUgraphConditionalHandle,
    /// The graph that it was made for.
    pub(crate) graph: CUgraph,
    pub(crate) context: CUcontext,
    /// Its value when a launch begins.
    default: Option<u32>,
    value: Mutex<Option<u32>>,
    /// Whether a node uses it. Only one node may.
    taken: AtomicBool,
}

/// All live conditions.
static CONDITIONS: Mutex<Option<HashMap<CUgraphConditionalHandle, Weak<Condition>>>> =
    Mutex::new(None);
/// Handles are not small numbers, so that an invalid handle is detected.
static NEXT: AtomicU64 = AtomicU64::new(0x6c61_6e65_0000_0001);

/// Makes a condition for a graph.
pub(crate) fn create(graph: CUgraph, context: CUcontext, default: Option<u32>) -> Arc<Condition> {
    let condition = Arc::new(Condition {
        handle: NEXT.fetch_add(1, Ordering::Relaxed),
        graph,
        context,
        default,
        value: Mutex::new(None),
        taken: AtomicBool::new(false),
    });
    let mut all = CONDITIONS.lock();
    all.get_or_insert_default()
        .insert(condition.handle, Arc::downgrade(&condition));
    condition
}

fn find(handle: CUgraphConditionalHandle) -> Option<Arc<Condition>> {
    CONDITIONS.lock().as_ref()?.get(&handle)?.upgrade()
}

/// Returns the condition that `handle` names.
pub(crate) fn get(handle: CUgraphConditionalHandle) -> Result<Arc<Condition>> {
    match find(handle) {
        Some(condition) => Ok(condition),
        None => fail!(
            ERROR_INVALID_VALUE,
            "{handle:#x} is not a live condition: its graph was destroyed, or it never was one"
        ),
    }
}

/// Sets the condition of this handle for a kernel. Returns whether there is one.
pub(crate) fn set(handle: CUgraphConditionalHandle, value: u32) -> bool {
    let condition = find(handle);
    if let Some(condition) = &condition {
        *condition.value.lock() = Some(value);
    }
    condition.is_some()
}

impl Condition {
    /// Sets the default value when a launch of the graph begins.
    pub(crate) fn begin(&self) {
        *self.value.lock() = self.default;
    }

    /// Returns the value, if it has one.
    pub(crate) fn value(&self) -> Option<u32> {
        *self.value.lock()
    }

    /// Assigns the condition to a node. Returns whether it was free.
    pub(crate) fn take(&self) -> bool {
        !self.taken.swap(true, Ordering::AcqRel)
    }
}

impl Drop for Condition {
    fn drop(&mut self) {
        if let Some(all) = CONDITIONS.lock().as_mut() {
            all.remove(&self.handle);
        }
    }
}
