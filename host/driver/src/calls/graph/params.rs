//! Converts the structs of node parameters to operations and back.
//!
//! Parameters are checked as by the call that does the same operation on a stream.

use super::{condition, context_or_current};
use crate::abi::enums::graph_node_type as node_type;
use crate::abi::*;
use crate::calls::code::launch;
use crate::calls::memory::{copy_shaped, memset};
use crate::calls::present;
use crate::error::{Result, ensure, fail};
use crate::objects::code::launch::{KernelLaunch, Shape};
use crate::objects::context;
use crate::objects::graph::{self, Graph, Host, Kind, Node, UserData, memory};
use crate::objects::memory::graph_memory;
use crate::objects::stream::event;
use std::sync::Arc;

/// Makes a launch for a node. The function is `func`, or `kern` in the context `ctx` or
/// the current one.
///
/// # Safety
/// The parameters are as `cuLaunchKernel` requires them.
pub(super) unsafe fn kernel(params: &CUDA_KERNEL_NODE_PARAMS) -> Result<Kind> {
    let CUDA_KERNEL_NODE_PARAMS {
        func,
        grid,
        block,
        shared_mem_bytes,
        kernel_params,
        extra,
        kern,
        ctx,
    } = *params;
    // The handle of a library's kernel may be in either field.
    let handle = if func.0 != 0 {
        func
    } else {
        CUfunction(kern.0)
    };
    let function = crate::calls::code::function::usable(handle)?;
    let context = if ctx == CUcontext::default() {
        function.context()?
    } else {
        context_or_current(ctx)?
    };
    let shape = Shape::new(grid, block, shared_mem_bytes);
    launch::check(&context, &function, &shape)?;
    // SAFETY: the caller keeps the contract.
    let bytes = unsafe { launch::gather(&function, kernel_params, extra)? };
    Ok(Kind::Kernel(KernelLaunch::new(
        &context, &function, shape, &bytes,
    )))
}

/// Converts the older struct to [`CUDA_KERNEL_NODE_PARAMS`].
pub(super) fn newer(params: &CUDA_KERNEL_NODE_PARAMS_v1) -> CUDA_KERNEL_NODE_PARAMS {
    let CUDA_KERNEL_NODE_PARAMS_v1 {
        func,
        grid,
        block,
        shared_mem_bytes,
        kernel_params,
        extra,
    } = *params;
    CUDA_KERNEL_NODE_PARAMS {
        func,
        grid,
        block,
        shared_mem_bytes,
        kernel_params,
        extra,
        kern: CUkernel::default(),
        ctx: CUcontext::default(),
    }
}

/// Returns the parameters of a kernel node.
pub(super) fn of_kernel(node: &Node) -> Result<CUDA_KERNEL_NODE_PARAMS> {
    match &*node.kind.lock() {
        Kind::Kernel(launch) => Ok(CUDA_KERNEL_NODE_PARAMS {
            func: launch.function.handle,
            grid: launch.shape.grid,
            block: launch.shape.block,
            shared_mem_bytes: launch.shape.shared,
            kernel_params: launch.params.list(),
            extra: std::ptr::null_mut(),
            kern: CUkernel::default(),
            ctx: launch.context.handle,
        }),
        other => wrong("kernel", other),
    }
}

/// Makes a copy for a node.
pub(super) fn copy(params: &CUDA_MEMCPY3D, ctx: CUcontext) -> Result<Kind> {
    let context = context_or_current(ctx)?;
    Ok(Kind::Copy(copy_shaped::node(&context, params)?))
}

/// Makes a memset for a node.
pub(super) fn set(params: &CUDA_MEMSET_NODE_PARAMS, ctx: CUcontext) -> Result<Kind> {
    let context = context_or_current(ctx)?;
    Ok(Kind::Set(memset::node(&context, params)?))
}

/// Makes a call of a host function for a node.
pub(super) fn host(params: &CUDA_HOST_NODE_PARAMS) -> Result<Kind> {
    let Some(function) = params.function else {
        fail!(ERROR_INVALID_VALUE, "`fn` is null; pass a function")
    };
    Ok(Kind::Host(Host {
        function,
        data: UserData(params.user_data),
    }))
}

/// Makes the operation of a child node: a copy of the graph as it is now.
pub(super) fn child(graph: CUgraph) -> Result<Kind> {
    Ok(Kind::Child(graph::get(graph)?.copy(true)?))
}

/// Returns the event for a node.
pub(super) fn event(handle: CUevent) -> Result<Arc<event::Event>> {
    event::get(handle)
}

/// Makes an allocation for a node. Its address is written to the struct.
///
/// # Safety
/// `params` is null or valid.
pub(super) unsafe fn allocation(params: *mut CUDA_MEM_ALLOC_NODE_PARAMS) -> Result<Kind> {
    present(params, "nodeParams")?;
    // SAFETY: the pointer is not null, so it is valid by the caller's contract.
    let params = unsafe { &mut *params };
    let props = &params.pool_props;
    ensure!(
        params.bytesize > 0,
        ERROR_INVALID_VALUE,
        "an allocation node of no bytes"
    );
    ensure!(
        props.allocation_kind == 1 && props.location.kind == 1,
        ERROR_INVALID_VALUE,
        "an allocation node allocates pinned memory (CU_MEM_ALLOCATION_TYPE_PINNED, 1) on a device \
         (CU_MEM_LOCATION_TYPE_DEVICE, 1)"
    );
    ensure!(
        props.handle_types == 0,
        ERROR_NOT_SUPPORTED,
        "graph memory that other processes can open; ask for CU_MEM_HANDLE_TYPE_NONE"
    );
    let context = context::current()?;
    ensure!(
        props.location.id == context.device.ordinal,
        ERROR_INVALID_VALUE,
        "an allocation on device {}; the current context is of device {}",
        props.location.id,
        context.device.ordinal
    );
    let reserved = memory::reserve(&context, params)?;
    params.dptr = reserved.address;
    Ok(Kind::Alloc(reserved))
}

/// Makes a free of memory for a node.
pub(super) fn free(address: CUdeviceptr) -> Result<Kind> {
    ensure!(
        graph_memory::is_known(address),
        ERROR_INVALID_VALUE,
        "{address:#x} is not the memory of a graph's allocation node, which alone a free node frees"
    );
    Ok(Kind::Free(address))
}

/// Makes the operation of `cuGraphAddNode`'s struct, for a new node of `graph`, or for
/// an existing node.
///
/// # Safety
/// `params` is null or valid, and so are the pointers in it.
pub(super) unsafe fn any(params: *mut CUgraphNodeParams, graph: Option<&Graph>) -> Result<Kind> {
    present(params, "nodeParams")?;
    // SAFETY: the pointer is not null, so it is valid by the caller's contract.
    let params = unsafe { &mut *params };
    let inner: *mut c_void = params.params.as_mut_ptr().cast();
    // SAFETY: the type defines which struct begins there. Each struct is smaller than the field.
    unsafe {
        match params.kind {
            node_type::KERNEL => kernel(&*inner.cast()),
            node_type::MEMCPY => {
                let inner = inner.cast::<CUDA_MEMCPY_NODE_PARAMS>().read();
                copy(&inner.copy_params, inner.copy_ctx)
            }
            node_type::MEMSET => {
                let (set_params, ctx) = inner.cast::<(CUDA_MEMSET_NODE_PARAMS, CUcontext)>().read();
                set(&set_params, ctx)
            }
            node_type::HOST => host(&inner.cast::<CUDA_HOST_NODE_PARAMS>().read()),
            node_type::GRAPH => child(inner.cast::<CUgraph>().read()),
            node_type::EMPTY => Ok(Kind::Empty),
            node_type::WAIT_EVENT => Ok(Kind::Wait(event(inner.cast::<CUevent>().read())?)),
            node_type::EVENT_RECORD => Ok(Kind::Record(event(inner.cast::<CUevent>().read())?)),
            node_type::MEM_ALLOC => allocation(inner.cast()),
            node_type::MEM_FREE => free(inner.cast::<CUdeviceptr>().read()),
            node_type::CONDITIONAL => match graph {
                Some(graph) => condition::node(&mut *inner.cast(), graph),
                None => fail!(
                    ERROR_NOT_SUPPORTED,
                    "what a conditional node decides by cannot be changed"
                ),
            },
            other => fail!(
                ERROR_NOT_SUPPORTED,
                "nodes of type {other} (external semaphores, memory operations) are not simulated"
            ),
        }
    }
}

/// Refuses a node of another type than the call requires.
pub(super) fn wrong<T>(wanted: &str, found: &Kind) -> Result<T> {
    fail!(
        ERROR_INVALID_VALUE,
        "the node is no {wanted} node; it is `{}`",
        found.label()
    )
}
