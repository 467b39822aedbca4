//! Conditional nodes: conditions, and graphs whose nodes run according to them.

use super::parts::{any, launch_of};
use crate::fixture::{Fixture, c, holds, ok, param};
use crate::rows;
use lanewise_driver::abi::enums::{graph_conditional as how, graph_node_type as kind};
use lanewise_driver::abi::*;
use lanewise_driver::api::*;
use std::ptr::{null, null_mut};

/// CUDA's flag `CU_GRAPH_COND_ASSIGN_DEFAULT`.
const ASSIGN_DEFAULT: u32 = 1;

#[allow(
    clippy::undocumented_unsafe_blocks,
    reason = "driver calls with arguments of this file's own"
)]
impl Fixture {
    /// A condition that begins with a value.
    fn condition(&self, graph: CUgraph, value: u32) -> CUgraphConditionalHandle {
        let mut handle = 0;
        ok(unsafe {
            cuGraphConditionalHandleCreate(&mut handle, graph, self.context, value, ASSIGN_DEFAULT)
        });
        handle
    }

    /// Adds a conditional node, and returns its bodies if that succeeds.
    fn conditional(
        &self,
        graph: CUgraph,
        after: &[CUgraphNode],
        (handle, how, size): (CUgraphConditionalHandle, u32, u32),
    ) -> Result<Vec<CUgraph>, CUresult> {
        let (mut node, mut params) = (CUgraphNode(0), any(kind::CONDITIONAL));
        let inner: *mut CUDA_CONDITIONAL_NODE_PARAMS = params.params.as_mut_ptr().cast();
        unsafe {
            inner.write(CUDA_CONDITIONAL_NODE_PARAMS {
                handle,
                kind: how,
                size,
                graphs: null_mut(),
                ctx: self.context,
            });
        }
        let code = unsafe {
            cuGraphAddNode_v2(
                &mut node,
                graph,
                after.as_ptr(),
                null(),
                after.len(),
                (&raw mut params).cast(),
            )
        };
        if code != CUresult::SUCCESS {
            return Err(code);
        }
        let written: *const CUDA_CONDITIONAL_NODE_PARAMS = params.params.as_ptr().cast();
        let graphs = unsafe { (*written).graphs };
        Ok((0..size as usize)
            .map(|body| unsafe { graphs.add(body).read() })
            .collect())
    }

    /// Adds one thread of `take_one` or `set` on a condition.
    fn step(
        &self,
        graph: CUgraph,
        name: &str,
        mut handle: CUgraphConditionalHandle,
        mut number: u64,
    ) -> CUgraphNode {
        let (mut module, mut function) = (CUmodule(0), CUfunction(0));
        ok(unsafe { cuModuleLoadData(&mut module, c(include_str!("conditions.ptx")).cast()) });
        ok(unsafe { cuModuleGetFunction(&mut function, module, c(name)) });
        let mut list = [param(&mut handle), param(&mut number)];
        let mut params = launch_of(function, list.as_mut_ptr());
        params.block = [1; 3];
        let mut node = CUgraphNode(0);
        ok(unsafe {
            cuGraphAddKernelNode_v2(&mut node, graph, null(), 0, (&raw const params).cast())
        });
        node
    }

    /// Instantiates a graph, launches it, and waits for it.
    fn ran(&self, graph: CUgraph) {
        self.launched(self.exec(graph));
    }

    /// Launches an executable graph, and waits for it.
    fn launched(&self, exec: CUgraphExec) {
        ok(unsafe { cuGraphLaunch(exec, self.stream()) });
        ok(unsafe { cuCtxSynchronize() });
    }

    /// Returns which bodies of a node run when its condition is `value`. Each body sets a word of
    /// its own to 1.
    fn chosen(&self, how: u32, size: u32, value: u32) -> Vec<u32> {
        let (graph, words) = (self.graph(), self.device());
        // A node sets four words, so each has four.
        let word = |body: u64| words + 16 * body;
        ok(unsafe { cuMemsetD32_v2(words, 0, 4 * size as usize) });
        // The graph is launched in a stream that does not wait for the default one.
        ok(unsafe { cuCtxSynchronize() });
        let condition = self.condition(graph, 99);
        let set = self.step(graph, "set", condition, u64::from(value));
        let bodies = self.conditional(graph, &[set], (condition, how, size));
        for (i, body) in bodies.expect("a node").into_iter().enumerate() {
            self.set_node(body, &[], word(i as u64), 1);
        }
        self.ran(graph);
        (0..u64::from(size)).map(|i| self.word(word(i))).collect()
    }
}

rows! {
    "cuGraphConditionalHandleCreate: with a default" => SUCCESS, |f| {
        let mut handle = 0;
        ok(cuGraphConditionalHandleCreate(&mut handle, f.graph(), f.context, 1, ASSIGN_DEFAULT));
        holds(handle != 0)
    };
    "cuGraphConditionalHandleCreate: without a default" => SUCCESS, |f| {
        cuGraphConditionalHandleCreate(&mut 0, f.graph(), f.context, 0, 0)
    };
    "cuGraphConditionalHandleCreate: of no context" => ERROR_INVALID_CONTEXT, |f| {
        cuGraphConditionalHandleCreate(&mut 0, f.graph(), CUcontext(0), 0, 0)
    };
    "cuGraphConditionalHandleCreate: to null" => ERROR_INVALID_VALUE, |f| {
        cuGraphConditionalHandleCreate(null_mut(), f.graph(), f.context, 0, 0)
    };
    "cuGraphConditionalHandleCreate: flags that are none" => ERROR_INVALID_VALUE, |f| {
        cuGraphConditionalHandleCreate(&mut 0, f.graph(), f.context, 0, 2)
    };
    "cuGraphAddNode: an IF node whose condition is 0" => SUCCESS, |f| holds(f.chosen(how::IF, 1, 0) == [0]);
    "cuGraphAddNode: an IF node whose condition is not 0" => SUCCESS, |f| holds(f.chosen(how::IF, 1, 7) == [1]);
    "cuGraphAddNode: an IF node with an else, by both ways" => SUCCESS, |f| {
        holds(f.chosen(how::IF, 2, 0) == [0, 1] && f.chosen(how::IF, 2, 1) == [1, 0])
    };
    "cuGraphAddNode: a SWITCH node" => SUCCESS, |f| {
        holds(f.chosen(how::SWITCH, 3, 2) == [0, 0, 1] && f.chosen(how::SWITCH, 3, 3) == [0, 0, 0])
    };
    "cuGraphAddNode: a WHILE node, launched twice" => SUCCESS, |f| {
        let (graph, number) = (f.graph(), f.device());
        let condition = f.condition(graph, 1);
        let set = f.set_node(graph, &[], number, 5);
        let body = f.conditional(graph, &[set], (condition, how::WHILE, 1)).expect("a node")[0];
        f.step(body, "take_one", condition, number);
        let exec = f.exec(graph);
        f.launched(exec);
        let once = f.word(number);
        f.launched(exec);
        holds(once == 0 && f.word(number) == 0)
    };
    "cuGraphAddNode: a WHILE node whose condition is 0 at once" => SUCCESS, |f| {
        let (graph, number) = (f.graph(), f.device());
        f.set_node(graph, &[], number, 5);
        let condition = f.condition(graph, 0);
        let body = f.conditional(graph, &[], (condition, how::WHILE, 1)).expect("a node")[0];
        f.step(body, "take_one", condition, number);
        f.ran(graph);
        holds(f.word(number) == 5)
    };
    "cuGraphAddNode: a WHILE node within an IF node's body" => SUCCESS, |f| {
        let (graph, number) = (f.graph(), f.device());
        let set = f.set_node(graph, &[], number, 3);
        let (outer, inner) = (f.condition(graph, 1), f.condition(graph, 1));
        let body = f.conditional(graph, &[set], (outer, how::IF, 1)).expect("a node")[0];
        let body = f.conditional(body, &[], (inner, how::WHILE, 1)).expect("a node")[0];
        f.step(body, "take_one", inner, number);
        f.ran(graph);
        holds(f.word(number) == 0)
    };
    "cuGraphAddNode: a WHILE node of two bodies" => ERROR_INVALID_VALUE, |f| {
        let graph = f.graph();
        f.conditional(graph, &[], (f.condition(graph, 0), how::WHILE, 2)).expect_err("it is refused")
    };
    "cuGraphAddNode: a conditional node of no kind" => ERROR_INVALID_VALUE, |f| {
        let graph = f.graph();
        f.conditional(graph, &[], (f.condition(graph, 0), 9, 1)).expect_err("it is refused")
    };
    "cuGraphAddNode: a condition that is none" (sim: "a GPU's driver may look through the handle") => ERROR_INVALID_VALUE, |f| {
        f.conditional(f.graph(), &[], (17, how::IF, 1)).expect_err("it is refused")
    };
    "cuGraphAddNode: two nodes of one condition" => ERROR_INVALID_VALUE, |f| {
        let graph = f.graph();
        let condition = f.condition(graph, 0);
        f.conditional(graph, &[], (condition, how::IF, 1)).expect("a node");
        f.conditional(graph, &[], (condition, how::IF, 1)).expect_err("it is refused")
    };
    "cuGraphInstantiate: a host function in a body" => ERROR_INVALID_VALUE, |f| {
        let (graph, counter) = (f.graph(), std::sync::atomic::AtomicU32::new(0));
        let body = f.conditional(graph, &[], (f.condition(graph, 0), how::IF, 1)).expect("a node")[0];
        f.host_node(body, &counter);
        cuGraphInstantiateWithFlags(&mut CUgraphExec(0), graph, 0)
    };
    "cuGraphInstantiate: a second time, with a conditional node" => ERROR_NOT_SUPPORTED, |f| {
        let graph = f.graph();
        f.conditional(graph, &[], (f.condition(graph, 0), how::IF, 1)).expect("a node");
        let (mut first, mut second) = (CUgraphExec(0), CUgraphExec(0));
        ok(cuGraphInstantiateWithFlags(&mut first, graph, 0));
        let code = cuGraphInstantiateWithFlags(&mut second, graph, 0);
        ok(cuGraphExecDestroy(first));
        code
    };
    "cuGraphClone: of a graph with a conditional node" => ERROR_NOT_SUPPORTED, |f| {
        let graph = f.graph();
        f.conditional(graph, &[], (f.condition(graph, 0), how::IF, 1)).expect("a node");
        cuGraphClone(&mut CUgraph(0), graph)
    };
    "cuGraphDestroy: of a body" => ERROR_INVALID_VALUE, |f| {
        let graph = f.graph();
        let body = f.conditional(graph, &[], (f.condition(graph, 0), how::IF, 1)).expect("a node")[0];
        cuGraphDestroy(body)
    };
}
