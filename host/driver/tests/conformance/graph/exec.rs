//! Executable graphs: instantiating, launching, changing.

use super::parts::{any, launch_of, launch_of_v1, pointer, row, words};
use crate::fixture::{holds, ok, param};
use crate::rows;
use lanewise_driver::abi::enums::{
    graph_instantiate as flag, graph_node_type as kind, graph_update as update,
};
use lanewise_driver::abi::*;
use lanewise_driver::api::*;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU32, Ordering};

rows! {
    "cuGraphInstantiateWithFlags: of an empty graph" => SUCCESS, |f| {
        let mut exec = CUgraphExec(0);
        ok(cuGraphInstantiateWithFlags(&mut exec, f.graph(), 0));
        ok(cuGraphLaunch(exec, f.stream()));
        cuCtxSynchronize()
    };
    "cuGraphInstantiate: to null" => ERROR_INVALID_VALUE, |f| cuGraphInstantiate(null_mut(), f.graph(), null_mut(), null_mut(), 0);
    "cuGraphInstantiateWithFlags: two that exclude each other" => ERROR_INVALID_VALUE, |f| {
        let flags = u64::from(flag::AUTO_FREE_ON_LAUNCH | flag::DEVICE_LAUNCH);
        cuGraphInstantiateWithFlags(&mut CUgraphExec(0), f.graph(), flags)
    };
    "cuGraphInstantiateWithFlags: that are none" => ERROR_INVALID_VALUE, |f| {
        cuGraphInstantiateWithFlags(&mut CUgraphExec(0), f.graph(), 1 << 20)
    };
    "cuGraphInstantiateWithFlags: of a circle" => ERROR_INVALID_VALUE, |f| {
        let graph = f.graph();
        let first = f.empty(graph, &[]);
        let second = f.empty(graph, &[first]);
        // Some drivers refuse the edge that closes the circle already.
        let code = cuGraphAddDependencies(graph, &second, &first, 1);
        if code == CUresult::SUCCESS { cuGraphInstantiateWithFlags(&mut CUgraphExec(0), graph, 0) } else { code }
    };
    "cuGraphInstantiate_v2: without a log" => SUCCESS, |f| {
        cuGraphInstantiate_v2(&mut CUgraphExec(0), f.graph(), null_mut(), null_mut(), 0)
    };
    "cuGraphInstantiateWithParams: says that it went well" => SUCCESS, |f| {
        let mut params = CUDA_GRAPH_INSTANTIATE_PARAMS {
            flags: 0, upload_stream: CUstream(0), error_node: CUgraphNode(0), result: 9,
        };
        ok(cuGraphInstantiateWithParams(&mut CUgraphExec(0), f.graph(), (&raw mut params).cast()));
        holds(params.result == 0)
    };
    "cuGraphExecGetFlags: those of the call" => SUCCESS, |f| {
        let (mut exec, mut flags) = (CUgraphExec(0), 0);
        ok(cuGraphInstantiateWithFlags(&mut exec, f.graph(), 1));
        ok(cuGraphExecGetFlags(exec, &mut flags));
        holds(flags == 1)
    };
    "cuGraphExecDestroy: once" => SUCCESS, |f| cuGraphExecDestroy(f.exec(f.graph()));
    "cuGraphExecDestroy: twice" (sim: "a GPU's driver looks through the handle") => ERROR_INVALID_VALUE, |f| {
        let exec = f.exec(f.graph());
        ok(cuGraphExecDestroy(exec));
        cuGraphExecDestroy(exec)
    };
    "cuGraphUpload: before a launch" => SUCCESS, |f| cuGraphUpload(f.exec(f.graph()), f.stream());
    "cuGraphLaunch: three times in order" => SUCCESS, |f| {
        let (graph, counter, stream) = (f.graph(), AtomicU32::new(0), f.stream());
        f.host_node(graph, &counter);
        let exec = f.exec(graph);
        for _ in 0..3 {
            ok(cuGraphLaunch(exec, stream));
        }
        ok(cuStreamSynchronize(stream));
        holds(counter.load(Ordering::Relaxed) == 3)
    };
    "cuGraphLaunch: on the default stream" => SUCCESS, |f| {
        let (graph, address) = (f.graph(), f.device());
        f.set_node(graph, &[], address, 5);
        ok(cuGraphLaunch(f.exec(graph), CUstream(0)));
        holds(f.word(address) == 5)
    };
    "cuGraphLaunch: after the graph was changed and destroyed" => SUCCESS, |f| {
        let (graph, counter, stream) = (f.graph(), AtomicU32::new(0), f.stream());
        f.host_node(graph, &counter);
        let exec = f.exec(graph);
        f.host_node(graph, &counter);
        ok(cuGraphDestroy(graph));
        ok(cuGraphLaunch(exec, stream));
        ok(cuStreamSynchronize(stream));
        holds(counter.load(Ordering::Relaxed) == 1)
    };
    "cuGraphLaunch: null" => ERROR_INVALID_VALUE, |f| cuGraphLaunch(CUgraphExec(0), f.stream());
    "cuGraphLaunch: that allocates, twice without a free" => ERROR_INVALID_VALUE, |f| {
        let (exec, stream) = (f.exec(f.allocating().0), f.stream());
        ok(cuGraphLaunch(exec, stream));
        cuGraphLaunch(exec, stream)
    };
    "cuGraphLaunch: that allocates, freed in between" => SUCCESS, |f| {
        let (graph, _, address) = f.allocating();
        let (exec, stream) = (f.exec(graph), f.stream());
        ok(cuGraphLaunch(exec, stream));
        ok(cuMemFreeAsync(address, stream));
        ok(cuGraphLaunch(exec, stream));
        ok(cuMemFreeAsync(address, stream));
        cuStreamSynchronize(stream)
    };
    "cuGraphLaunch: that allocates and frees first" => SUCCESS, |f| {
        let (mut exec, stream) = (CUgraphExec(0), f.stream());
        ok(cuGraphInstantiateWithFlags(&mut exec, f.allocating().0, u64::from(flag::AUTO_FREE_ON_LAUNCH)));
        ok(cuGraphLaunch(exec, stream));
        ok(cuGraphLaunch(exec, stream));
        cuStreamSynchronize(stream)
    };
    "cuGraphExecMemsetNodeSetParams: another value" => SUCCESS, |f| {
        let (graph, address, stream) = (f.graph(), f.device(), f.stream());
        let node = f.set_node(graph, &[], address, 1);
        let (exec, params) = (f.exec(graph), words(address, 2, 4));
        ok(cuGraphExecMemsetNodeSetParams(exec, node, (&raw const params).cast(), f.context));
        ok(cuGraphLaunch(exec, stream));
        ok(cuStreamSynchronize(stream));
        holds(f.word(address) == 2)
    };
    "cuGraphExecMemsetNodeSetParams: of a node of another graph" => ERROR_INVALID_VALUE, |f| {
        let (graph, address) = (f.graph(), f.device());
        let (node, params) = (f.set_node(graph, &[], address, 1), words(address, 2, 4));
        cuGraphExecMemsetNodeSetParams(f.exec(f.graph()), node, (&raw const params).cast(), f.context)
    };
    "cuGraphExecMemcpyNodeSetParams: another source" => SUCCESS, |f| {
        let (graph, from, to, mut node) = (f.graph(), f.device(), f.device(), CUgraphNode(0));
        ok(cuMemsetD32_v2(from, 3, 4));
        ok(cuMemsetD32_v2(from + 16, 4, 4));
        ok(cuCtxSynchronize());
        ok(cuGraphAddMemcpyNode(&mut node, graph, null(), 0, &row(from, to, 16), f.context));
        let exec = f.exec(graph);
        ok(cuGraphExecMemcpyNodeSetParams(exec, node, &row(from + 16, to, 16), f.context));
        ok(cuGraphLaunch(exec, CUstream(0)));
        holds(f.word(to) == 4)
    };
    "cuGraphExecKernelNodeSetParams_v2: another value" => SUCCESS, |f| {
        let (graph, mut address, mut n, mut value, mut node) = (f.graph(), f.device(), 4u32, 5u32, CUgraphNode(0));
        let mut list = [param(&mut address), param(&mut n), param(&mut value)];
        let params = launch_of(f.function("fill"), list.as_mut_ptr());
        ok(cuGraphAddKernelNode_v2(&mut node, graph, null(), 0, (&raw const params).cast()));
        let exec = f.exec(graph);
        value = 6;
        ok(cuGraphExecKernelNodeSetParams_v2(exec, node, (&raw const params).cast()));
        ok(cuGraphLaunch(exec, CUstream(0)));
        holds(f.word(address) == 6 && value == 6)
    };
    "cuGraphExecKernelNodeSetParams: the older struct" => SUCCESS, |f| {
        let (graph, params) = (f.graph(), launch_of_v1(f.function("nothing")));
        let node = f.kernel_node(graph, "nothing");
        cuGraphExecKernelNodeSetParams(f.exec(graph), node, (&raw const params).cast())
    };
    "cuGraphExecHostNodeSetParams: another counter" => SUCCESS, |f| {
        let (graph, first, second) = (f.graph(), AtomicU32::new(0), AtomicU32::new(0));
        let node = f.host_node(graph, &first);
        let exec = f.exec(graph);
        let params = CUDA_HOST_NODE_PARAMS { function: Some(super::parts::count), user_data: pointer(&second) };
        ok(cuGraphExecHostNodeSetParams(exec, node, (&raw const params).cast()));
        ok(cuGraphLaunch(exec, CUstream(0)));
        ok(cuCtxSynchronize());
        holds(first.load(Ordering::Relaxed) == 0 && second.load(Ordering::Relaxed) == 1)
    };
    "cuGraphExecChildGraphNodeSetParams: the same shape" => SUCCESS, |f| {
        let (graph, child, mut node, address) = (f.graph(), f.graph(), CUgraphNode(0), f.device());
        f.set_node(child, &[], address, 1);
        ok(cuGraphAddChildGraphNode(&mut node, graph, null(), 0, child));
        let (exec, other) = (f.exec(graph), f.graph());
        f.set_node(other, &[], address, 2);
        ok(cuGraphExecChildGraphNodeSetParams(exec, node, other));
        ok(cuGraphLaunch(exec, CUstream(0)));
        holds(f.word(address) == 2)
    };
    "cuGraphExecEventRecordNodeSetEvent: another" => SUCCESS, |f| {
        let (graph, mut node) = (f.graph(), CUgraphNode(0));
        ok(cuGraphAddEventRecordNode(&mut node, graph, null(), 0, f.event()));
        cuGraphExecEventRecordNodeSetEvent(f.exec(graph), node, f.event())
    };
    "cuGraphExecEventWaitNodeSetEvent: another" => SUCCESS, |f| {
        let (graph, mut node) = (f.graph(), CUgraphNode(0));
        ok(cuGraphAddEventWaitNode(&mut node, graph, null(), 0, f.event()));
        cuGraphExecEventWaitNodeSetEvent(f.exec(graph), node, f.event())
    };
    "cuGraphExecNodeSetParams: of a host node" => SUCCESS, |f| {
        let (graph, first, second) = (f.graph(), AtomicU32::new(0), AtomicU32::new(0));
        let (node, mut params) = (f.host_node(graph, &first), any(kind::HOST));
        let exec = f.exec(graph);
        params.params[0] = super::parts::count as *const () as i64;
        params.params[1] = pointer(&second) as i64;
        ok(cuGraphExecNodeSetParams(exec, node, (&raw mut params).cast()));
        ok(cuGraphLaunch(exec, CUstream(0)));
        ok(cuCtxSynchronize());
        holds(first.load(Ordering::Relaxed) == 0 && second.load(Ordering::Relaxed) == 1)
    };
    "cuGraphNodeSetEnabled: a node that is off does nothing" => SUCCESS, |f| {
        let (graph, address) = (f.graph(), f.device());
        ok(cuMemsetD32_v2(address, 1, 4));
        ok(cuCtxSynchronize());
        let node = f.set_node(graph, &[], address, 2);
        let exec = f.exec(graph);
        ok(cuGraphNodeSetEnabled(exec, node, 0));
        ok(cuGraphLaunch(exec, CUstream(0)));
        holds(f.word(address) == 1)
    };
    "cuGraphNodeSetEnabled: of an empty node" => ERROR_INVALID_VALUE, |f| {
        let graph = f.graph();
        let node = f.empty(graph, &[]);
        cuGraphNodeSetEnabled(f.exec(graph), node, 0)
    };
    "cuGraphNodeGetEnabled: at first" => SUCCESS, |f| {
        let (graph, mut enabled) = (f.graph(), 9);
        let node = f.kernel_node(graph, "nothing");
        ok(cuGraphNodeGetEnabled(f.exec(graph), node, &mut enabled));
        holds(enabled == 1)
    };
    "cuGraphExecUpdate_v2: with other parameters" => SUCCESS, |f| {
        let (graph, other, address) = (f.graph(), f.graph(), f.device());
        f.set_node(graph, &[], address, 1);
        f.set_node(other, &[], address, 2);
        let (exec, mut info) = (f.exec(graph), CUgraphExecUpdateResultInfo { result: 9, ..Default::default() });
        ok(cuGraphExecUpdate_v2(exec, other, (&raw mut info).cast()));
        ok(cuGraphLaunch(exec, CUstream(0)));
        holds(info.result == update::SUCCESS && f.word(address) == 2)
    };
    "cuGraphExecUpdate_v2: with one node more" => ERROR_GRAPH_EXEC_UPDATE_FAILURE, |f| {
        let (graph, other, mut info) = (f.graph(), f.graph(), CUgraphExecUpdateResultInfo::default());
        f.empty(graph, &[]);
        f.empty(other, &[]);
        f.empty(other, &[]);
        let code = cuGraphExecUpdate_v2(f.exec(graph), other, (&raw mut info).cast());
        if info.result == update::TOPOLOGY_CHANGED { code } else { CUresult::ERROR_UNKNOWN }
    };
    "cuGraphExecUpdate_v2: with a node of another type" => ERROR_GRAPH_EXEC_UPDATE_FAILURE, |f| {
        let (graph, other, mut info) = (f.graph(), f.graph(), CUgraphExecUpdateResultInfo::default());
        f.empty(graph, &[]);
        f.kernel_node(other, "nothing");
        let code = cuGraphExecUpdate_v2(f.exec(graph), other, (&raw mut info).cast());
        if info.result == update::NODE_TYPE_CHANGED { code } else { CUresult::ERROR_UNKNOWN }
    };
    "cuGraphExecUpdate: the older form" => SUCCESS, |f| {
        let (graph, other, mut result) = (f.graph(), f.graph(), 9);
        f.empty(graph, &[]);
        f.empty(other, &[]);
        ok(cuGraphExecUpdate(f.exec(graph), other, &mut CUgraphNode(0), &mut result));
        holds(result == update::SUCCESS)
    };
}
