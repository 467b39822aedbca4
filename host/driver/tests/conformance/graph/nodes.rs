//! Graphs: their nodes, their edges, and what the nodes do.

use crate::fixture::{BYTES, Fixture, holds, nothing, ok, param};
use crate::rows;
use lanewise_driver::abi::enums::{
    graph_memory_attribute as memory, graph_node_type as kind, memory_type,
};
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
        x_in_bytes: 0,
        y: 0,
        z: 0,
        lod: 0,
        memory_type: memory_type::DEVICE,
        host: null_mut(),
        device,
        array: CUarray(0),
        context: CUcontext(0),
        pitch: bytes,
        height: 1,
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

/// [`launch_of`] as before CUDA 12.
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
fn allocation() -> CUDA_MEM_ALLOC_NODE_PARAMS {
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

    /// Runs a graph to its end.
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

rows! {
    "cuGraphCreate: and destroy" => SUCCESS, |f| cuGraphDestroy(f.graph());
    "cuGraphCreate: with flags" => ERROR_INVALID_VALUE, |_| cuGraphCreate(&mut CUgraph(0), 1);
    "cuGraphCreate: to null" => ERROR_INVALID_VALUE, |_| cuGraphCreate(null_mut(), 0);
    "cuGraphDestroy: twice" (sim: "a GPU's driver looks through the handle") => ERROR_INVALID_VALUE, |f| {
        let graph = f.graph();
        ok(cuGraphDestroy(graph));
        cuGraphDestroy(graph)
    };
    "cuGraphAddEmptyNode: after itself's elders" => SUCCESS, |f| {
        let graph = f.graph();
        let first = f.empty(graph, &[]);
        f.empty(graph, &[first]);
        CUresult::SUCCESS
    };
    "cuGraphAddEmptyNode: after one node twice" => ERROR_INVALID_VALUE, |f| {
        let graph = f.graph();
        let first = f.empty(graph, &[]);
        cuGraphAddEmptyNode(&mut CUgraphNode(0), graph, [first, first].as_ptr(), 2)
    };
    "cuGraphAddEmptyNode: after a node of another graph" => ERROR_INVALID_VALUE, |f| {
        let elsewhere = f.empty(f.graph(), &[]);
        cuGraphAddEmptyNode(&mut CUgraphNode(0), f.graph(), &elsewhere, 1)
    };
    "cuGraphAddEmptyNode: to null" => ERROR_INVALID_VALUE, |f| cuGraphAddEmptyNode(null_mut(), f.graph(), null(), 0);
    "cuGraphAddMemsetNode: sets" => SUCCESS, |f| {
        let (graph, address) = (f.graph(), f.device());
        f.set_node(graph, &[], address, 7);
        f.run(graph);
        holds(f.word(address) == 7)
    };
    "cuGraphAddMemsetNode: elements of three bytes" => ERROR_INVALID_VALUE, |f| {
        let params = CUDA_MEMSET_NODE_PARAMS { element_size: 3, ..words(f.device(), 0, 4) };
        cuGraphAddMemsetNode(&mut CUgraphNode(0), f.graph(), null(), 0, (&raw const params).cast(), f.context)
    };
    "cuGraphAddMemsetNode: null parameters" => ERROR_INVALID_VALUE, |f| {
        cuGraphAddMemsetNode(&mut CUgraphNode(0), f.graph(), null(), 0, null(), f.context)
    };
    "cuGraphMemsetNodeGetParams: what was added" => SUCCESS, |f| {
        let (graph, address, mut found) = (f.graph(), f.device(), words(0, 0, 0));
        ok(cuGraphMemsetNodeGetParams(f.set_node(graph, &[], address, 7), (&raw mut found).cast()));
        holds(found.dst == address && found.value == 7 && found.width == 4 && found.element_size == 4)
    };
    "cuGraphMemsetNodeSetParams: another value" => SUCCESS, |f| {
        let (graph, address) = (f.graph(), f.device());
        let (node, params) = (f.set_node(graph, &[], address, 7), words(address, 8, 4));
        ok(cuGraphMemsetNodeSetParams(node, (&raw const params).cast()));
        f.run(graph);
        holds(f.word(address) == 8)
    };
    "cuGraphMemsetNodeSetParams: of an empty node" => ERROR_INVALID_VALUE, |f| {
        let params = words(f.device(), 8, 4);
        cuGraphMemsetNodeSetParams(f.empty(f.graph(), &[]), (&raw const params).cast())
    };
    "cuGraphAddMemcpyNode: after what it copies was set" => SUCCESS, |f| {
        let (graph, from, to) = (f.graph(), f.device(), f.device());
        let set = f.set_node(graph, &[], from, 9);
        let copy = row(from, to, 16);
        ok(cuGraphAddMemcpyNode(&mut CUgraphNode(0), graph, &set, 1, &copy, f.context));
        f.run(graph);
        holds(f.word(to) == 9)
    };
    "cuGraphAddMemcpyNode: null parameters" => ERROR_INVALID_VALUE, |f| {
        cuGraphAddMemcpyNode(&mut CUgraphNode(0), f.graph(), null(), 0, null(), f.context)
    };
    "cuGraphMemcpyNodeGetParams: what was added" => SUCCESS, |f| {
        let (mut node, copy) = (CUgraphNode(0), row(f.device(), f.device(), 16));
        ok(cuGraphAddMemcpyNode(&mut node, f.graph(), null(), 0, &copy, f.context));
        let mut found = row(0, 0, 0);
        ok(cuGraphMemcpyNodeGetParams(node, &mut found));
        holds(found.src.device == copy.src.device && found.width_in_bytes == 16)
    };
    "cuGraphMemcpyNodeSetParams: another source" => SUCCESS, |f| {
        let (graph, from, to, mut node) = (f.graph(), f.device(), f.device(), CUgraphNode(0));
        ok(cuMemsetD32_v2(from, 3, 8));
        ok(cuMemsetD32_v2(from + 16, 4, 4));
        // The stream below does not wait for the default stream's work.
        ok(cuCtxSynchronize());
        ok(cuGraphAddMemcpyNode(&mut node, graph, null(), 0, &row(from, to, 16), f.context));
        ok(cuGraphMemcpyNodeSetParams(node, &row(from + 16, to, 16)));
        f.run(graph);
        holds(f.word(to) == 4)
    };
    "cuGraphAddKernelNode_v2: its parameters are taken when it is added" => SUCCESS, |f| {
        let (graph, mut address, mut n, mut value) = (f.graph(), f.device(), 4u32, 5u32);
        let mut list = [param(&mut address), param(&mut n), param(&mut value)];
        let params = launch_of(f.function("fill"), list.as_mut_ptr());
        ok(cuGraphAddKernelNode_v2(&mut CUgraphNode(0), graph, null(), 0, (&raw const params).cast()));
        value += 1;
        f.run(graph);
        holds(f.word(address) == 5 && value == 6)
    };
    "cuGraphAddKernelNode_v2: null parameters" => ERROR_INVALID_VALUE, |f| {
        cuGraphAddKernelNode_v2(&mut CUgraphNode(0), f.graph(), null(), 0, null())
    };
    "cuGraphAddKernelNode: the older struct" => SUCCESS, |f| {
        let (graph, params) = (f.graph(), launch_of_v1(f.function("nothing")));
        ok(cuGraphAddKernelNode(&mut CUgraphNode(0), graph, null(), 0, (&raw const params).cast()));
        f.run(graph);
        CUresult::SUCCESS
    };
    "cuGraphKernelNodeGetParams_v2: with pointers to the values" => SUCCESS, |f| {
        let (graph, mut node) = (f.graph(), CUgraphNode(0));
        let (mut address, mut n, mut value) = (f.device(), 4u32, 5u32);
        let mut list = [param(&mut address), param(&mut n), param(&mut value)];
        let params = launch_of(f.function("fill"), list.as_mut_ptr());
        ok(cuGraphAddKernelNode_v2(&mut node, graph, null(), 0, (&raw const params).cast()));
        let mut found = launch_of(CUfunction(0), null_mut());
        ok(cuGraphKernelNodeGetParams_v2(node, (&raw mut found).cast()));
        holds(found.block == [32, 1, 1] && found.kernel_params.add(2).read().cast::<u32>().read() == 5)
    };
    "cuGraphKernelNodeGetParams: the older struct" => SUCCESS, |f| {
        let (node, mut found) = (f.kernel_node(f.graph(), "nothing"), launch_of_v1(CUfunction(0)));
        ok(cuGraphKernelNodeGetParams(node, (&raw mut found).cast()));
        holds(found.block == [32, 1, 1])
    };
    "cuGraphKernelNodeSetParams_v2: another shape" => SUCCESS, |f| {
        let node = f.kernel_node(f.graph(), "nothing");
        let params = CUDA_KERNEL_NODE_PARAMS { block: [64, 1, 1], ..launch_of(f.function("nothing"), null_mut()) };
        ok(cuGraphKernelNodeSetParams_v2(node, (&raw const params).cast()));
        let mut found = launch_of(CUfunction(0), null_mut());
        ok(cuGraphKernelNodeGetParams_v2(node, (&raw mut found).cast()));
        holds(found.block == [64, 1, 1])
    };
    "cuGraphKernelNodeSetParams: the older struct" => SUCCESS, |f| {
        let (node, params) = (f.kernel_node(f.graph(), "nothing"), launch_of_v1(f.function("nothing")));
        cuGraphKernelNodeSetParams(node, (&raw const params).cast())
    };
    "cuGraphKernelNodeSetAttribute: a priority" => SUCCESS, |f| {
        let node = f.kernel_node(f.graph(), "nothing");
        cuGraphKernelNodeSetAttribute(node, 8, &CUlaunchAttributeValue { bytes: [0; 64] })
    };
    "cuGraphKernelNodeGetAttribute: cooperative, which it is not" => SUCCESS, |f| {
        let (node, mut found) = (f.kernel_node(f.graph(), "nothing"), CUlaunchAttributeValue { bytes: [9; 64] });
        ok(cuGraphKernelNodeGetAttribute(node, 2, &mut found));
        holds(found.word(0) == 0)
    };
    "cuGraphKernelNodeGetAttribute: none" => ERROR_INVALID_VALUE, |f| {
        let node = f.kernel_node(f.graph(), "nothing");
        cuGraphKernelNodeGetAttribute(node, 1000, &mut CUlaunchAttributeValue { bytes: [0; 64] })
    };
    "cuGraphKernelNodeCopyAttributes: of one node to another" => SUCCESS, |f| {
        let graph = f.graph();
        cuGraphKernelNodeCopyAttributes(f.kernel_node(graph, "nothing"), f.kernel_node(graph, "nothing"))
    };
    "cuGraphAddHostNode: is called at each launch" => SUCCESS, |f| {
        let (graph, counter) = (f.graph(), AtomicU32::new(0));
        f.host_node(graph, &counter);
        f.run(graph);
        f.run(graph);
        holds(counter.load(Ordering::Relaxed) == 2)
    };
    "cuGraphAddHostNode: null parameters" => ERROR_INVALID_VALUE, |f| {
        cuGraphAddHostNode(&mut CUgraphNode(0), f.graph(), null(), 0, null())
    };
    "cuGraphHostNodeGetParams: what was added" => SUCCESS, |f| {
        let counter = AtomicU32::new(0);
        let mut found = CUDA_HOST_NODE_PARAMS { function: None, user_data: null_mut() };
        ok(cuGraphHostNodeGetParams(f.host_node(f.graph(), &counter), (&raw mut found).cast()));
        holds(found.user_data == pointer(&counter) && found.function.is_some())
    };
    "cuGraphHostNodeSetParams: another counter" => SUCCESS, |f| {
        let (graph, first, second) = (f.graph(), AtomicU32::new(0), AtomicU32::new(0));
        let params = CUDA_HOST_NODE_PARAMS { function: Some(count), user_data: pointer(&second) };
        ok(cuGraphHostNodeSetParams(f.host_node(graph, &first), (&raw const params).cast()));
        f.run(graph);
        holds(first.load(Ordering::Relaxed) == 0 && second.load(Ordering::Relaxed) == 1)
    };
    "cuGraphAddChildGraphNode: a copy of the graph as it is" => SUCCESS, |f| {
        let (child, graph, counter) = (f.graph(), f.graph(), AtomicU32::new(0));
        f.host_node(child, &counter);
        ok(cuGraphAddChildGraphNode(&mut CUgraphNode(0), graph, null(), 0, child));
        f.host_node(child, &counter);
        ok(cuGraphDestroy(child));
        f.run(graph);
        holds(counter.load(Ordering::Relaxed) == 1)
    };
    "cuGraphChildGraphNodeGetGraph: with the child's nodes" => SUCCESS, |f| {
        let (child, mut node, mut found, mut nodes) = (f.graph(), CUgraphNode(0), CUgraph(0), 9);
        f.empty(child, &[]);
        ok(cuGraphAddChildGraphNode(&mut node, f.graph(), null(), 0, child));
        ok(cuGraphChildGraphNodeGetGraph(node, &mut found));
        ok(cuGraphGetNodes(found, null_mut(), &mut nodes));
        holds(nodes == 1 && found != child)
    };
    "cuGraphChildGraphNodeGetGraph: of an empty node" => ERROR_INVALID_VALUE, |f| {
        cuGraphChildGraphNodeGetGraph(f.empty(f.graph(), &[]), &mut CUgraph(0))
    };
    "cuGraphAddEventRecordNode: happens in the launch" => SUCCESS, |f| {
        let (graph, event) = (f.graph(), f.event());
        ok(cuGraphAddEventRecordNode(&mut CUgraphNode(0), graph, null(), 0, event));
        f.run(graph);
        cuEventQuery(event)
    };
    "cuGraphEventRecordNodeGetEvent: the event" => SUCCESS, |f| {
        let (mut node, mut found, event) = (CUgraphNode(0), CUevent(0), f.event());
        ok(cuGraphAddEventRecordNode(&mut node, f.graph(), null(), 0, event));
        ok(cuGraphEventRecordNodeGetEvent(node, &mut found));
        holds(found == event)
    };
    "cuGraphEventRecordNodeSetEvent: another" => SUCCESS, |f| {
        let mut node = CUgraphNode(0);
        ok(cuGraphAddEventRecordNode(&mut node, f.graph(), null(), 0, f.event()));
        cuGraphEventRecordNodeSetEvent(node, f.event())
    };
    "cuGraphAddEventWaitNode: waits for another stream" => SUCCESS, |f| {
        let (graph, event, stream, counter) = (f.graph(), f.event(), f.stream(), AtomicU32::new(0));
        ok(cuLaunchHostFunc(stream, Some(dawdle), null_mut()));
        ok(cuLaunchHostFunc(stream, Some(count), pointer(&counter)));
        ok(cuEventRecord(event, stream));
        ok(cuGraphAddEventWaitNode(&mut CUgraphNode(0), graph, null(), 0, event));
        f.run(graph);
        holds(counter.load(Ordering::Relaxed) == 1)
    };
    "cuGraphEventWaitNodeGetEvent: the event" => SUCCESS, |f| {
        let (mut node, mut found, event) = (CUgraphNode(0), CUevent(0), f.event());
        ok(cuGraphAddEventWaitNode(&mut node, f.graph(), null(), 0, event));
        ok(cuGraphEventWaitNodeGetEvent(node, &mut found));
        holds(found == event)
    };
    "cuGraphEventWaitNodeSetEvent: another" => SUCCESS, |f| {
        let mut node = CUgraphNode(0);
        ok(cuGraphAddEventWaitNode(&mut node, f.graph(), null(), 0, f.event()));
        cuGraphEventWaitNodeSetEvent(node, f.event())
    };
    "cuGraphAddMemAllocNode: has an address" => SUCCESS, |f| holds(f.allocating().2 != 0);
    "cuGraphAddMemAllocNode: of no bytes" => ERROR_INVALID_VALUE, |f| {
        let mut params = CUDA_MEM_ALLOC_NODE_PARAMS { bytesize: 0, ..allocation() };
        cuGraphAddMemAllocNode(&mut CUgraphNode(0), f.graph(), null(), 0, (&raw mut params).cast())
    };
    "cuGraphMemAllocNodeGetParams: the address" => SUCCESS, |f| {
        let (_, node, address) = f.allocating();
        let mut found = allocation();
        ok(cuGraphMemAllocNodeGetParams(node, (&raw mut found).cast()));
        holds(found.dptr == address && found.bytesize == BYTES)
    };
    "cuGraphAddMemFreeNode: the allocation can be used in between" => SUCCESS, |f| {
        let (graph, node, address) = f.allocating();
        let to = f.device();
        let set = f.set_node(graph, &[node], address, 6);
        let mut copied = CUgraphNode(0);
        ok(cuGraphAddMemcpyNode(&mut copied, graph, &set, 1, &row(address, to, 16), f.context));
        ok(cuGraphAddMemFreeNode(&mut CUgraphNode(0), graph, &copied, 1, address));
        f.run(graph);
        holds(f.word(to) == 6)
    };
    "cuGraphAddMemFreeNode: of memory that no graph allocated" => ERROR_INVALID_VALUE, |f| {
        cuGraphAddMemFreeNode(&mut CUgraphNode(0), f.graph(), null(), 0, f.device())
    };
    "cuGraphMemFreeNodeGetParams: the address" => SUCCESS, |f| {
        let (graph, node, address) = f.allocating();
        let (mut free, mut found) = (CUgraphNode(0), 0);
        ok(cuGraphAddMemFreeNode(&mut free, graph, &node, 1, address));
        ok(cuGraphMemFreeNodeGetParams(free, &mut found));
        holds(found == address)
    };
    "cuDeviceGetGraphMemAttribute: in use after a launch that does not free" => SUCCESS, |f| {
        let (graph, ..) = f.allocating();
        let mut used = 0u64;
        f.run(graph);
        ok(cuDeviceGetGraphMemAttribute(0, memory::USED_MEM_CURRENT, (&raw mut used).cast()));
        holds(used >= BYTES as u64)
    };
    "cuDeviceGetGraphMemAttribute: none" => ERROR_INVALID_VALUE, |_| {
        let mut value = 0u64;
        cuDeviceGetGraphMemAttribute(0, 1000, (&raw mut value).cast())
    };
    "cuDeviceSetGraphMemAttribute: a high-water mark" => SUCCESS, |_| {
        let mut zero = 0u64;
        cuDeviceSetGraphMemAttribute(0, memory::USED_MEM_HIGH, (&raw mut zero).cast())
    };
    "cuDeviceSetGraphMemAttribute: what is in use" => ERROR_INVALID_VALUE, |_| {
        let mut zero = 0u64;
        cuDeviceSetGraphMemAttribute(0, memory::USED_MEM_CURRENT, (&raw mut zero).cast())
    };
    "cuDeviceGraphMemTrim: of the device" => SUCCESS, |_| cuDeviceGraphMemTrim(0);
    "cuGraphClone: runs by itself" => SUCCESS, |f| {
        let (graph, mut clone, counter) = (f.graph(), CUgraph(0), AtomicU32::new(0));
        f.host_node(graph, &counter);
        ok(cuGraphClone(&mut clone, graph));
        ok(cuGraphDestroy(graph));
        f.run(clone);
        holds(counter.load(Ordering::Relaxed) == 1)
    };
    "cuGraphClone: to null" => ERROR_INVALID_VALUE, |f| cuGraphClone(null_mut(), f.graph());
    "cuGraphNodeFindInClone: the counterpart" => SUCCESS, |f| {
        let (graph, mut clone, mut found, mut list, mut n) = (f.graph(), CUgraph(0), CUgraphNode(0), [CUgraphNode(0)], 1);
        let node = f.empty(graph, &[]);
        ok(cuGraphClone(&mut clone, graph));
        ok(cuGraphNodeFindInClone(&mut found, node, clone));
        ok(cuGraphGetNodes(clone, list.as_mut_ptr(), &mut n));
        holds(found == list[0] && found != node)
    };
    "cuGraphNodeFindInClone: in another graph" => ERROR_INVALID_VALUE, |f| {
        cuGraphNodeFindInClone(&mut CUgraphNode(0), f.empty(f.graph(), &[]), f.graph())
    };
    "cuGraphNodeGetType: of three" => SUCCESS, |f| {
        let (graph, mut types) = (f.graph(), [99; 3]);
        let counter = AtomicU32::new(0);
        let nodes = [f.empty(graph, &[]), f.kernel_node(graph, "nothing"), f.host_node(graph, &counter)];
        for (node, found) in nodes.into_iter().zip(&mut types) {
            ok(cuGraphNodeGetType(node, found));
        }
        holds(types == [kind::EMPTY, kind::KERNEL, kind::HOST])
    };
    "cuGraphGetNodes: with more room than nodes" => SUCCESS, |f| {
        let (graph, mut list, mut n) = (f.graph(), [CUgraphNode(9); 3], 3);
        let node = f.empty(graph, &[]);
        ok(cuGraphGetNodes(graph, list.as_mut_ptr(), &mut n));
        holds(n == 1 && list == [node, CUgraphNode(0), CUgraphNode(0)])
    };
    "cuGraphGetRootNodes: only what waits for nothing" => SUCCESS, |f| {
        let (graph, mut n) = (f.graph(), 9);
        let first = f.empty(graph, &[]);
        f.empty(graph, &[first]);
        ok(cuGraphGetRootNodes(graph, null_mut(), &mut n));
        holds(n == 1)
    };
    "cuGraphGetEdges: the one there is" => SUCCESS, |f| {
        let (graph, mut from, mut to, mut n) = (f.graph(), CUgraphNode(0), CUgraphNode(0), 1);
        let first = f.empty(graph, &[]);
        let second = f.empty(graph, &[first]);
        ok(cuGraphGetEdges(graph, &mut from, &mut to, &mut n));
        holds((from, to, n) == (first, second, 1))
    };
    "cuGraphGetEdges_v2: with their data" => SUCCESS, |f| {
        let (graph, mut from, mut to, mut n) = (f.graph(), CUgraphNode(0), CUgraphNode(0), 1);
        let first = f.empty(graph, &[]);
        f.empty(graph, &[first]);
        let mut data = CUgraphEdgeData { kind: 9, ..CUgraphEdgeData::default() };
        ok(cuGraphGetEdges_v2(graph, &mut from, &mut to, (&raw mut data).cast(), &mut n));
        holds(from == first && data == CUgraphEdgeData::default())
    };
    "cuGraphNodeGetDependencies: the elder" => SUCCESS, |f| {
        let (graph, mut found, mut n) = (f.graph(), CUgraphNode(0), 1);
        let first = f.empty(graph, &[]);
        ok(cuGraphNodeGetDependencies(f.empty(graph, &[first]), &mut found, &mut n));
        holds(found == first && n == 1)
    };
    "cuGraphNodeGetDependencies_v2: the elder" => SUCCESS, |f| {
        let (graph, mut found, mut n) = (f.graph(), CUgraphNode(0), 1);
        let first = f.empty(graph, &[]);
        let mut data = CUgraphEdgeData::default();
        ok(cuGraphNodeGetDependencies_v2(f.empty(graph, &[first]), &mut found, (&raw mut data).cast(), &mut n));
        holds(found == first && n == 1)
    };
    "cuGraphNodeGetDependentNodes: the younger" => SUCCESS, |f| {
        let (graph, mut found, mut n) = (f.graph(), CUgraphNode(0), 1);
        let first = f.empty(graph, &[]);
        let second = f.empty(graph, &[first]);
        ok(cuGraphNodeGetDependentNodes(first, &mut found, &mut n));
        holds(found == second && n == 1)
    };
    "cuGraphNodeGetDependentNodes_v2: the younger" => SUCCESS, |f| {
        let (graph, mut found, mut n) = (f.graph(), CUgraphNode(0), 1);
        let first = f.empty(graph, &[]);
        let second = f.empty(graph, &[first]);
        let mut data = CUgraphEdgeData::default();
        ok(cuGraphNodeGetDependentNodes_v2(first, &mut found, (&raw mut data).cast(), &mut n));
        holds(found == second && n == 1)
    };
    "cuGraphAddDependencies: orders" => SUCCESS, |f| {
        let (graph, address) = (f.graph(), f.device());
        let last = f.set_node(graph, &[], address, 2);
        let first = f.set_node(graph, &[], address, 1);
        ok(cuGraphAddDependencies(graph, &first, &last, 1));
        f.run(graph);
        holds(f.word(address) == 2)
    };
    "cuGraphAddDependencies: twice" => ERROR_INVALID_VALUE, |f| {
        let graph = f.graph();
        let first = f.empty(graph, &[]);
        let second = f.empty(graph, &[first]);
        cuGraphAddDependencies(graph, &first, &second, 1)
    };
    "cuGraphAddDependencies: of itself" => ERROR_INVALID_VALUE, |f| {
        let graph = f.graph();
        let node = f.empty(graph, &[]);
        cuGraphAddDependencies(graph, &node, &node, 1)
    };
    "cuGraphAddDependencies_v2: without data" => SUCCESS, |f| {
        let graph = f.graph();
        let (first, second) = (f.empty(graph, &[]), f.empty(graph, &[]));
        cuGraphAddDependencies_v2(graph, &first, &second, null(), 1)
    };
    "cuGraphRemoveDependencies: that is there" => SUCCESS, |f| {
        let (graph, mut n) = (f.graph(), 9);
        let first = f.empty(graph, &[]);
        let second = f.empty(graph, &[first]);
        ok(cuGraphRemoveDependencies(graph, &first, &second, 1));
        ok(cuGraphGetEdges(graph, null_mut(), null_mut(), &mut n));
        holds(n == 0)
    };
    "cuGraphRemoveDependencies: that is not" => ERROR_INVALID_VALUE, |f| {
        let graph = f.graph();
        let (first, second) = (f.empty(graph, &[]), f.empty(graph, &[]));
        cuGraphRemoveDependencies(graph, &first, &second, 1)
    };
    "cuGraphRemoveDependencies_v2: that is there" => SUCCESS, |f| {
        let graph = f.graph();
        let first = f.empty(graph, &[]);
        let second = f.empty(graph, &[first]);
        cuGraphRemoveDependencies_v2(graph, &first, &second, null(), 1)
    };
    "cuGraphDestroyNode: and its edges" => SUCCESS, |f| {
        let (graph, mut n) = (f.graph(), 9);
        let first = f.empty(graph, &[]);
        f.empty(graph, &[first]);
        ok(cuGraphDestroyNode(first));
        ok(cuGraphGetEdges(graph, null_mut(), null_mut(), &mut n));
        holds(n == 0)
    };
    "cuGraphDestroyNode: of a graph that allocates" => ERROR_NOT_SUPPORTED, |f| cuGraphDestroyNode(f.allocating().1);
    "cuGraphClone: of a graph that allocates" => ERROR_NOT_SUPPORTED, |f| {
        cuGraphClone(&mut CUgraph(0), f.allocating().0)
    };
    "cuGraphDebugDotPrint: to a file" => SUCCESS, |f| {
        let graph = f.graph();
        f.kernel_node(graph, "nothing");
        let path = std::env::temp_dir().join(format!("lanewise-{}.dot", std::process::id()));
        ok(cuGraphDebugDotPrint(graph, crate::fixture::c(&path.to_string_lossy()), 0));
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        holds(std::fs::remove_file(&path).is_ok() && text.contains("digraph"))
    };
    "cuGraphDebugDotPrint: to nowhere" (sim: "a GPU's driver crashes") => ERROR_INVALID_VALUE, |f| {
        cuGraphDebugDotPrint(f.graph(), nothing(), 0)
    };
    "cuUserObjectCreate: is destroyed with its last reference" => SUCCESS, |_| {
        // Never freed: the destructor may run late.
        let (counter, mut object) = (&*Box::leak(Box::new(AtomicU32::new(0))), CUuserObject(0));
        ok(cuUserObjectCreate(&mut object, pointer(counter), Some(count), 2, 1));
        ok(cuUserObjectRelease(object, 1));
        let early = counter.load(Ordering::Relaxed);
        ok(cuUserObjectRelease(object, 1));
        holds(early == 0 && comes(counter))
    };
    "cuUserObjectCreate: without flags" => ERROR_INVALID_VALUE, |_| {
        cuUserObjectCreate(&mut CUuserObject(0), null_mut(), Some(count), 1, 0)
    };
    "cuUserObjectCreate: without references" => ERROR_INVALID_VALUE, |_| {
        cuUserObjectCreate(&mut CUuserObject(0), null_mut(), Some(count), 0, 1)
    };
    "cuUserObjectRetain: adds" => SUCCESS, |_| {
        let (counter, mut object) = (&*Box::leak(Box::new(AtomicU32::new(0))), CUuserObject(0));
        ok(cuUserObjectCreate(&mut object, pointer(counter), Some(count), 1, 1));
        ok(cuUserObjectRetain(object, 1));
        ok(cuUserObjectRelease(object, 1));
        let early = counter.load(Ordering::Relaxed);
        ok(cuUserObjectRelease(object, 1));
        holds(early == 0 && comes(counter))
    };
    "cuUserObjectRelease: of no references" => ERROR_INVALID_VALUE, |_| {
        let (counter, mut object) = (&*Box::leak(Box::new(AtomicU32::new(0))), CUuserObject(0));
        ok(cuUserObjectCreate(&mut object, pointer(counter), Some(count), 1, 1));
        let code = cuUserObjectRelease(object, 0);
        ok(cuUserObjectRelease(object, 1));
        code
    };
    "cuGraphRetainUserObject: goes with the graph" => SUCCESS, |f| {
        let (counter, mut object, graph) = (&*Box::leak(Box::new(AtomicU32::new(0))), CUuserObject(0), f.graph());
        ok(cuUserObjectCreate(&mut object, pointer(counter), Some(count), 1, 1));
        ok(cuGraphRetainUserObject(graph, object, 1, 1));
        let early = counter.load(Ordering::Relaxed);
        ok(cuGraphDestroy(graph));
        holds(early == 0 && comes(counter))
    };
    "cuGraphReleaseUserObject: before the graph goes" => SUCCESS, |f| {
        let (counter, mut object, graph) = (&*Box::leak(Box::new(AtomicU32::new(0))), CUuserObject(0), f.graph());
        ok(cuUserObjectCreate(&mut object, pointer(counter), Some(count), 1, 1));
        ok(cuGraphRetainUserObject(graph, object, 1, 1));
        ok(cuGraphReleaseUserObject(graph, object, 1));
        holds(comes(counter))
    };
    "cuGraphAddNode_v2: an empty node" => SUCCESS, |f| {
        let mut params = any(kind::EMPTY);
        cuGraphAddNode_v2(&mut CUgraphNode(0), f.graph(), null(), null(), 0, (&raw mut params).cast())
    };
    "cuGraphAddNode_v2: null parameters" => ERROR_INVALID_VALUE, |f| {
        cuGraphAddNode_v2(&mut CUgraphNode(0), f.graph(), null(), null(), 0, null_mut())
    };
    "cuGraphNodeSetParams: of a host node" => SUCCESS, |f| {
        let (graph, first, second) = (f.graph(), AtomicU32::new(0), AtomicU32::new(0));
        let (node, mut params) = (f.host_node(graph, &first), any(kind::HOST));
        params.params[0] = count as *const () as i64;
        params.params[1] = pointer(&second) as i64;
        ok(cuGraphNodeSetParams(node, (&raw mut params).cast()));
        f.run(graph);
        holds(first.load(Ordering::Relaxed) == 0 && second.load(Ordering::Relaxed) == 1)
    };
    "cuGraphNodeGetType: garbage" (sim: "a GPU's driver looks through the handle") => ERROR_INVALID_VALUE, |_| {
        cuGraphNodeGetType(CUgraphNode(0xdead_beef), &mut 0)
    };
}

/// Parameters of `cuGraphAddNode`, all zero but for the type.
pub(crate) fn any(kind: u32) -> CUgraphNodeParams {
    CUgraphNodeParams {
        kind,
        reserved0: [0; 3],
        params: [0; 29],
        reserved2: 0,
    }
}

/// Whether the counter comes to one before long.
fn comes(counter: &AtomicU32) -> bool {
    let start = Instant::now();
    while counter.load(Ordering::Relaxed) == 0 && start.elapsed() < Duration::from_secs(60) {
        std::thread::yield_now();
    }
    counter.load(Ordering::Relaxed) == 1
}

/// Takes far longer than a call that does not wait.
unsafe extern "C" fn dawdle(_: *mut c_void) {
    std::thread::sleep(Duration::from_millis(20));
}
