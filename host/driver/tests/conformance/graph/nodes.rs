//! Nodes of each kind: what they do, and how their parameters are read and changed.

use super::parts::{any, count, dawdle, launch_of, launch_of_v1, pointer, row, words};
use crate::fixture::{holds, ok, param};
use crate::rows;
use lanewise_driver::abi::enums::graph_node_type as kind;
use lanewise_driver::abi::*;
use lanewise_driver::api::*;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU32, Ordering};

rows! {
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
}
