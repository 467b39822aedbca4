//! The operation of a graph's node: reading it, and replacing it by another one of the same type.

use super::{params, read};
use crate::abi::*;
use crate::calls::put;
use crate::error::Result;
use crate::objects::graph::{self, Kind};

/// Replaces a node's operation by one of the same type.
fn set(node: CUgraphNode, kind: Kind) -> Result {
    let node = graph::node(node)?;
    let mut now = node.kind.lock();
    if now.node_type() != kind.node_type() {
        return params::wrong(&kind.label(), &now);
    }
    *now = kind;
    Ok(())
}

/// Makes the calls that return the parameters of a node of one kind, from the kind and its name,
/// the value to return, and the argument that receives it.
macro_rules! told {
    ($($name:ident: $kind:pat, $named:literal => $found:expr, to $place:ident: $ty:ty, $called:literal;)*) => {$(
        pub(crate) unsafe fn $name(node: CUgraphNode, $place: $ty) -> Result {
            let node = graph::node(node)?;
            let found = match &*node.kind.lock() {
                $kind => $found,
                other => return params::wrong($named, other),
            };
            // SAFETY: the caller keeps the contract.
            unsafe { put($place.cast(), found, $called) }
        }
    )*};
}
told! {
    copy: Kind::Copy(copy), "copy" => copy.described, to what: *mut CUDA_MEMCPY3D, "nodeParams";
    memset: Kind::Set(set), "memset" => set.described, to what: *mut c_void, "nodeParams";
    host: Kind::Host(host), "host" => CUDA_HOST_NODE_PARAMS {
        function: Some(host.function),
        user_data: host.data.0,
    }, to what: *mut c_void, "nodeParams";
    child: Kind::Child(child), "child graph" => child.handle, to graph: *mut CUgraph, "phGraph";
    recorded: Kind::Record(event), "event record" => event.handle, to event: *mut CUevent, "event_out";
    awaited: Kind::Wait(event), "event wait" => event.handle, to event: *mut CUevent, "event_out";
    freed: Kind::Free(address), "free" => *address, to address: *mut CUdeviceptr, "dptr_out";
}

pub(crate) unsafe fn kernel_v1(node: CUgraphNode, what: *mut c_void) -> Result {
    let CUDA_KERNEL_NODE_PARAMS {
        func,
        grid,
        block,
        shared_mem_bytes,
        kernel_params,
        extra,
        ..
    } = params::of_kernel(&*graph::node(node)?)?;
    let found = CUDA_KERNEL_NODE_PARAMS_v1 {
        func,
        grid,
        block,
        shared_mem_bytes,
        kernel_params,
        extra,
    };
    // SAFETY: the caller keeps the contract.
    unsafe { put(what.cast(), found, "nodeParams") }
}

pub(crate) unsafe fn kernel(node: CUgraphNode, what: *mut c_void) -> Result {
    let found = params::of_kernel(&*graph::node(node)?)?;
    // SAFETY: the caller keeps the contract.
    unsafe { put(what.cast(), found, "nodeParams") }
}

pub(crate) unsafe fn set_kernel_v1(node: CUgraphNode, what: *const c_void) -> Result {
    // SAFETY: the caller keeps the contract.
    set(node, unsafe {
        params::kernel(&params::newer(&read(what)?))?
    })
}

pub(crate) unsafe fn set_kernel(node: CUgraphNode, what: *const c_void) -> Result {
    // SAFETY: the caller keeps the contract.
    set(node, unsafe {
        params::kernel(&read::<CUDA_KERNEL_NODE_PARAMS>(what)?)?
    })
}

pub(crate) unsafe fn set_copy(node: CUgraphNode, what: *const CUDA_MEMCPY3D) -> Result {
    let context = match &*graph::node(node)?.kind.lock() {
        Kind::Copy(copy) => copy.context.handle,
        other => return params::wrong("copy", other),
    };
    // SAFETY: the caller keeps the contract.
    set(node, params::copy(&unsafe { read(what.cast())? }, context)?)
}

pub(crate) unsafe fn set_memset(node: CUgraphNode, what: *const c_void) -> Result {
    let context = match &*graph::node(node)?.kind.lock() {
        Kind::Set(set) => set.context.handle,
        other => return params::wrong("memset", other),
    };
    // SAFETY: the caller keeps the contract.
    set(node, params::set(&unsafe { read(what)? }, context)?)
}

pub(crate) unsafe fn set_host(node: CUgraphNode, what: *const c_void) -> Result {
    // SAFETY: the caller keeps the contract.
    set(
        node,
        params::host(&unsafe { read::<CUDA_HOST_NODE_PARAMS>(what)? })?,
    )
}

pub(crate) unsafe fn set_recorded(node: CUgraphNode, event: CUevent) -> Result {
    set(node, Kind::Record(params::event(event)?))
}

pub(crate) unsafe fn set_awaited(node: CUgraphNode, event: CUevent) -> Result {
    set(node, Kind::Wait(params::event(event)?))
}

pub(crate) unsafe fn set_any(node: CUgraphNode, what: *mut c_void) -> Result {
    // SAFETY: the caller keeps the contract.
    set(node, unsafe { params::any(what.cast(), None)? })
}
