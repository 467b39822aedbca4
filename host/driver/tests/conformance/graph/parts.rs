//! The parts of graphs: nodes, their parameters, and functions for the host to call.

use crate::fixture::{BYTES, Fixture, ok};
use lanewise_driver::abi::enums::memory_type;
use lanewise_driver::abi::*;
use lanewise_driver::api::*;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// Adds one to the counter it is given.
pub(crate) unsafe extern "C" fn count(counter: *mut c_void) {
    // SAFETY: the rows pass a counter that outlives the graph's work.
    unsafe { &*counter.cast::<AtomicU32>() }.fetch_add(1, Ordering::Relaxed);
}

pub(crate) fn pointer(counter: &AtomicU32) -> *mut c_void {
    (counter as *const AtomicU32).cast_mut().cast()
}

/// `words` words at `dst` set to `value`.
pub(crate) fn words(dst: CUdeviceptr, value: u32, words: usize) -> CUDA_MEMSET_NODE_PARAMS {
    CUDA_MEMSET_NODE_PARAMS {
        dst,
        pitch: 0,
        value,
        element_size: 4,
        width: words,
        height: 1,
    }
}

/// A copy of one row within the device.
pub(crate) fn row(from: CUdeviceptr, to: CUdeviceptr, bytes: usize) -> CUDA_MEMCPY3D {
    let side = |device| Side3D {
        memory_type: memory_type::DEVICE,
        device,
        pitch: bytes,
        height: 1,
        ..Side3D::NONE
    };
    CUDA_MEMCPY3D {
        src: side(from),
        dst: side(to),
        width_in_bytes: bytes,
        height: 1,
        depth: 1,
    }
}

/// A launch of one block of 32 threads.
pub(crate) fn launch_of(
    func: CUfunction,
    kernel_params: *mut *mut c_void,
) -> CUDA_KERNEL_NODE_PARAMS {
    CUDA_KERNEL_NODE_PARAMS {
        func,
        grid: [1; 3],
        block: [32, 1, 1],
        shared_mem_bytes: 0,
        kernel_params,
        extra: null_mut(),
        kern: CUkernel(0),
        ctx: CUcontext(0),
    }
}

/// [`launch_of`] in the form before CUDA 12.
pub(crate) fn launch_of_v1(func: CUfunction) -> CUDA_KERNEL_NODE_PARAMS_v1 {
    CUDA_KERNEL_NODE_PARAMS_v1 {
        func,
        grid: [1; 3],
        block: [32, 1, 1],
        shared_mem_bytes: 0,
        kernel_params: null_mut(),
        extra: null_mut(),
    }
}

/// An allocation of [`BYTES`] on device 0.
pub(super) fn allocation() -> CUDA_MEM_ALLOC_NODE_PARAMS {
    CUDA_MEM_ALLOC_NODE_PARAMS {
        pool_props: CUmemPoolProps {
            allocation_kind: 1,
            handle_types: 0,
            location: CUmemLocation { kind: 1, id: 0 },
            win32_security_attributes: null_mut(),
            max_size: 0,
            usage: 0,
            reserved: [0; 54],
        },
        access_descs: null(),
        access_desc_count: 0,
        bytesize: BYTES,
        dptr: 0,
    }
}

#[allow(
    clippy::undocumented_unsafe_blocks,
    reason = "driver calls with arguments of this file's own"
)]
impl Fixture {
    pub(crate) fn graph(&self) -> CUgraph {
        let mut graph = CUgraph(0);
        ok(unsafe { cuGraphCreate(&mut graph, 0) });
        graph
    }

    pub(crate) fn empty(&self, graph: CUgraph, after: &[CUgraphNode]) -> CUgraphNode {
        let mut node = CUgraphNode(0);
        ok(unsafe { cuGraphAddEmptyNode(&mut node, graph, after.as_ptr(), after.len()) });
        node
    }

    pub(crate) fn set_node(
        &self,
        graph: CUgraph,
        after: &[CUgraphNode],
        address: CUdeviceptr,
        value: u32,
    ) -> CUgraphNode {
        let (mut node, params) = (CUgraphNode(0), words(address, value, 4));
        ok(unsafe {
            cuGraphAddMemsetNode(
                &mut node,
                graph,
                after.as_ptr(),
                after.len(),
                (&raw const params).cast(),
                self.context,
            )
        });
        node
    }

    pub(crate) fn host_node(&self, graph: CUgraph, counter: &AtomicU32) -> CUgraphNode {
        let mut node = CUgraphNode(0);
        let params = CUDA_HOST_NODE_PARAMS {
            function: Some(count),
            user_data: pointer(counter),
        };
        ok(unsafe { cuGraphAddHostNode(&mut node, graph, null(), 0, (&raw const params).cast()) });
        node
    }

    pub(crate) fn kernel_node(&self, graph: CUgraph, name: &str) -> CUgraphNode {
        let (mut node, params) = (CUgraphNode(0), launch_of(self.function(name), null_mut()));
        ok(unsafe {
            cuGraphAddKernelNode_v2(&mut node, graph, null(), 0, (&raw const params).cast())
        });
        node
    }

    pub(crate) fn exec(&self, graph: CUgraph) -> CUgraphExec {
        let mut exec = CUgraphExec(0);
        ok(unsafe { cuGraphInstantiateWithFlags(&mut exec, graph, 0) });
        exec
    }

    /// Runs a graph and waits for its end.
    pub(crate) fn run(&self, graph: CUgraph) {
        let (exec, stream) = (self.exec(graph), self.stream());
        ok(unsafe { cuGraphLaunch(exec, stream) });
        ok(unsafe { cuStreamSynchronize(stream) });
    }

    /// A graph with an allocation, and its address.
    pub(crate) fn allocating(&self) -> (CUgraph, CUgraphNode, CUdeviceptr) {
        let (graph, mut node, mut params) = (self.graph(), CUgraphNode(0), allocation());
        ok(unsafe {
            cuGraphAddMemAllocNode(&mut node, graph, null(), 0, (&raw mut params).cast())
        });
        (graph, node, params.dptr)
    }
}

/// Parameters of `cuGraphAddNode`: all zero except the type.
pub(crate) fn any(kind: u32) -> CUgraphNodeParams {
    CUgraphNodeParams {
        kind,
        reserved0: [0; 3],
        params: [0; 29],
        reserved2: 0,
    }
}

/// Returns whether the counter becomes one within a minute.
pub(super) fn comes(counter: &AtomicU32) -> bool {
    let start = Instant::now();
    while counter.load(Ordering::Relaxed) == 0 && start.elapsed() < Duration::from_secs(60) {
        std::thread::yield_now();
    }
    counter.load(Ordering::Relaxed) == 1
}

/// Sleeps far longer than a call that does not wait takes.
pub(super) unsafe extern "C" fn dawdle(_: *mut c_void) {
    std::thread::sleep(Duration::from_millis(20));
}
