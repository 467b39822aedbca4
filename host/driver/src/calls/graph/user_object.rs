//! User objects, and the references that graphs hold to them.

use crate::abi::*;
use crate::calls::{present, put};
use crate::error::{Result, ensure, fail};
use crate::objects::graph::{self, user_object};

/// `CU_USER_OBJECT_NO_DESTRUCTOR_SYNC`, which must be set: nothing waits for a destructor.
const NO_DESTRUCTOR_SYNC: c_uint = 1;
/// `CU_GRAPH_USER_OBJECT_MOVE`: the caller's references become the graph's.
const MOVE: c_uint = 1;
/// `INT_MAX`, the largest number of references that one call may count.
const MOST: c_uint = c_int::MAX as c_uint;

fn counted(count: c_uint) -> Result {
    ensure!(
        (1..=MOST).contains(&count),
        ERROR_INVALID_VALUE,
        "{count} references; a call counts 1 to {MOST}"
    );
    Ok(())
}

pub(crate) unsafe fn create(
    object: *mut CUuserObject,
    data: *mut c_void,
    destroy: CUhostFn,
    count: c_uint,
    flags: c_uint,
) -> Result {
    present(object, "object_out")?;
    counted(count)?;
    ensure!(
        flags == NO_DESTRUCTOR_SYNC,
        ERROR_INVALID_VALUE,
        "flags must be CU_USER_OBJECT_NO_DESTRUCTOR_SYNC (1), not {flags:#x}"
    );
    let Some(destroy) = destroy else {
        fail!(ERROR_INVALID_VALUE, "`destroy` is null; pass a function")
    };
    let made = user_object::create(data, destroy, count);
    // SAFETY: the caller keeps the contract.
    unsafe { put(object, made, "object_out") }
}

pub(crate) unsafe fn retain(object: CUuserObject, count: c_uint) -> Result {
    counted(count)?;
    user_object::get(object)?.retain(count);
    Ok(())
}

pub(crate) unsafe fn release(object: CUuserObject, count: c_uint) -> Result {
    counted(count)?;
    user_object::get(object)?.release(count)
}

pub(crate) unsafe fn graph_retain(
    graph: CUgraph,
    object: CUuserObject,
    count: c_uint,
    flags: c_uint,
) -> Result {
    counted(count)?;
    ensure!(
        flags <= MOVE,
        ERROR_INVALID_VALUE,
        "{flags:#x} are no CUuserObjectRetain_flags"
    );
    let (graph, object) = (graph::get(graph)?, user_object::get(object)?);
    graph.objects.retain(&object, count, flags == MOVE);
    Ok(())
}

pub(crate) unsafe fn graph_release(graph: CUgraph, object: CUuserObject, count: c_uint) -> Result {
    counted(count)?;
    let (graph, object) = (graph::get(graph)?, user_object::get(object)?);
    graph.objects.release(&object, count)
}
