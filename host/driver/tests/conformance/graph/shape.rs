//! Graphs as a whole: how they are made, cloned, printed and destroyed, with their nodes and edges.

use crate::fixture::{holds, nothing, ok};
use crate::rows;
use lanewise_driver::abi::enums::graph_node_type as kind;
use lanewise_driver::abi::*;
use lanewise_driver::api::*;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU32, Ordering};

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
    "cuGraphNodeGetType: garbage" (sim: "a GPU's driver looks through the handle") => ERROR_INVALID_VALUE, |_| {
        cuGraphNodeGetType(CUgraphNode(0xdead_beef), &mut 0)
    };
}
