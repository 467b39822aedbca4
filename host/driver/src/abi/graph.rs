//! The structs of graph nodes. Field order and types are those of `cuda.h`; field names
//! follow Rust's conventions.

#![allow(
    missing_docs,
    reason = "the fields are those of cuda.h, described in the driver API reference"
)]

use super::*;

/// The parameters of a kernel node (`CUDA_KERNEL_NODE_PARAMS_v2`). Version 1 ends before `kern`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct CUDA_KERNEL_NODE_PARAMS {
    pub func: CUfunction,
    pub grid: [c_uint; 3],
    pub block: [c_uint; 3],
    pub shared_mem_bytes: c_uint,
    pub kernel_params: *mut *mut c_void,
    pub extra: *mut *mut c_void,
    pub kern: CUkernel,
    pub ctx: CUcontext,
}

/// [`CUDA_KERNEL_NODE_PARAMS`] as it was before CUDA 12.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct CUDA_KERNEL_NODE_PARAMS_v1 {
    pub func: CUfunction,
    pub grid: [c_uint; 3],
    pub block: [c_uint; 3],
    pub shared_mem_bytes: c_uint,
    pub kernel_params: *mut *mut c_void,
    pub extra: *mut *mut c_void,
}

/// The parameters of a memset node.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CUDA_MEMSET_NODE_PARAMS {
    pub dst: CUdeviceptr,
    pub pitch: usize,
    pub value: c_uint,
    pub element_size: c_uint,
    pub width: usize,
    pub height: usize,
}

/// The parameters of a host node: the function that it calls, and the argument.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct CUDA_HOST_NODE_PARAMS {
    pub function: CUhostFn,
    pub user_data: *mut c_void,
}

/// `CUmemPoolProps`: the kind and place of a pool's memory.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct CUmemPoolProps {
    pub allocation_kind: c_uint,
    pub handle_types: c_uint,
    pub location: CUmemLocation,
    pub win32_security_attributes: *mut c_void,
    pub max_size: usize,
    pub usage: c_ushort,
    pub reserved: [c_uchar; 54],
}

/// The parameters of an allocation node. The call that adds the node writes `dptr`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct CUDA_MEM_ALLOC_NODE_PARAMS {
    pub pool_props: CUmemPoolProps,
    pub access_descs: *const c_void,
    pub access_desc_count: usize,
    pub bytesize: usize,
    pub dptr: CUdeviceptr,
}

/// How a graph is instantiated, and the result of that.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct CUDA_GRAPH_INSTANTIATE_PARAMS {
    pub flags: u64,
    pub upload_stream: CUstream,
    pub error_node: CUgraphNode,
    pub result: c_uint,
}

/// The reason why an executable graph was not updated.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct CUgraphExecUpdateResultInfo {
    pub result: c_uint,
    pub error_node: CUgraphNode,
    pub error_from_node: CUgraphNode,
}

/// The node that `cuGraphAddNode` adds: a type, and the parameters of that type in 232 bytes.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct CUgraphNodeParams {
    pub kind: c_uint,
    pub reserved0: [c_int; 3],
    pub params: [c_longlong; 29],
    pub reserved2: c_longlong,
}

/// `CUDA_MEMCPY_NODE_PARAMS`: a copy in the form that [`CUgraphNodeParams`] contains.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct CUDA_MEMCPY_NODE_PARAMS {
    pub flags: c_int,
    pub reserved: c_int,
    pub copy_ctx: CUcontext,
    pub copy_params: CUDA_MEMCPY3D,
}

/// The condition of a conditional node, and the graphs that it runs. The call that adds the node
/// writes the graphs.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct CUDA_CONDITIONAL_NODE_PARAMS {
    pub handle: CUgraphConditionalHandle,
    pub kind: c_uint,
    pub size: c_uint,
    pub graphs: *mut CUgraph,
    pub ctx: CUcontext,
}

/// `CUgraphEdgeData`: the kind of a dependency. All zeros mean the ordinary kind.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CUgraphEdgeData {
    pub from_port: c_uchar,
    pub to_port: c_uchar,
    pub kind: c_uchar,
    pub reserved: [c_uchar; 5],
}

// SAFETY: the pointers belong to the program and are only stored and returned here. Code that
// dereferences one has checked it for that.
unsafe impl Send for CUDA_MEMCPY3D {}
// SAFETY: as above.
unsafe impl Sync for CUDA_MEMCPY3D {}
