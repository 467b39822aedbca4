//! Stream capture: which calls become nodes, and which calls a capture refuses.

use super::parts::{count, pointer};
use crate::fixture::{Fixture, holds, ok, param};
use crate::rows;
use lanewise_driver::abi::enums::{capture_mode as mode, capture_status as status, event_use};
use lanewise_driver::abi::*;
use lanewise_driver::api::*;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::channel;

#[allow(
    clippy::undocumented_unsafe_blocks,
    reason = "driver calls with arguments of this file's own"
)]
impl Fixture {
    /// A stream that is being captured.
    fn capturing(&self, mode: u32) -> CUstream {
        let stream = self.stream();
        ok(unsafe { cuStreamBeginCapture_v2(stream, mode) });
        stream
    }

    /// Runs `body` while another thread captures `stream`, and ends the capture in that thread. So
    /// an error of `body` stays this thread's last message.
    fn while_captured(
        &self,
        stream: CUstream,
        mode: u32,
        body: impl FnOnce(CUstream) -> CUresult,
    ) -> CUresult {
        let (context, (begun, is_begun), (over, is_over)) = (self.context, channel(), channel());
        let other = std::thread::spawn(move || unsafe {
            ok(cuCtxSetCurrent(context));
            ok(cuStreamBeginCapture_v2(stream, mode));
            begun.send(()).expect("the row waits");
            is_over.recv().expect("the row says so");
            cuStreamEndCapture(stream, &mut CUgraph(0))
        });
        is_begun.recv().expect("the capture begins");
        let code = body(stream);
        over.send(()).expect("the thread waits");
        other.join().expect("the thread ends");
        code
    }

    fn blocking(&self) -> CUstream {
        let mut stream = CUstream(0);
        ok(unsafe { cuStreamCreate(&mut stream, 0) });
        stream
    }

    /// Ends a capture that must be valid.
    fn captured(&self, stream: CUstream) -> CUgraph {
        let mut graph = CUgraph(0);
        ok(unsafe { cuStreamEndCapture(stream, &mut graph) });
        graph
    }
}

fn nodes(graph: CUgraph) -> usize {
    let mut n = 0;
    // SAFETY: a variable of this function's own.
    ok(unsafe { cuGraphGetNodes(graph, null_mut(), &mut n) });
    n
}

/// Returns the code of ending a capture after another call has failed as expected.
fn end_after(failed: bool, stream: CUstream) -> CUresult {
    // SAFETY: a variable of this function's own.
    let code = unsafe { cuStreamEndCapture(stream, &mut CUgraph(0)) };
    if failed {
        code
    } else {
        CUresult::ERROR_UNKNOWN
    }
}

rows! {
    "cuStreamBeginCapture_v2: nothing runs, and all of it runs later" => SUCCESS, |f| {
        let (stream, counter) = (f.capturing(mode::GLOBAL), AtomicU32::new(0));
        ok(cuLaunchHostFunc(stream, Some(count), pointer(&counter)));
        ok(cuLaunchHostFunc(stream, Some(count), pointer(&counter)));
        let (graph, early) = (f.captured(stream), counter.load(Ordering::Relaxed));
        f.run(graph);
        holds(early == 0 && counter.load(Ordering::Relaxed) == 2 && nodes(graph) == 2)
    };
    "cuStreamBeginCapture_v2: kernels, copies and sets" => SUCCESS, |f| {
        let (mut from, to, function) = (f.device(), f.device(), f.function("fill"));
        let (mut n, mut value) = (4u32, 11u32);
        let mut list = [param(&mut from), param(&mut n), param(&mut value)];
        let stream = f.capturing(mode::GLOBAL);
        ok(cuMemsetD32Async(to, 1, 4, stream));
        ok(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, stream, list.as_mut_ptr(), null_mut()));
        ok(cuMemcpyDtoDAsync_v2(to, from, 16, stream));
        let graph = f.captured(stream);
        f.run(graph);
        holds(f.word(to) == 11 && nodes(graph) == 3)
    };
    "cuStreamBeginCapture_v2: to and from pinned memory" => SUCCESS, |f| {
        let (pinned, device) = (f.pinned().cast::<u32>(), f.device());
        pinned.write(1);
        let stream = f.capturing(mode::GLOBAL);
        ok(cuMemcpyHtoDAsync_v2(device, pinned.cast(), 4, stream));
        ok(cuMemcpyDtoHAsync_v2(pinned.add(1).cast(), device, 4, stream));
        let graph = f.captured(stream);
        pinned.write(2);
        f.run(graph);
        holds(pinned.add(1).read() == 2)
    };
    "cuStreamBeginCapture_v2: of the legacy default stream" => ERROR_STREAM_CAPTURE_UNSUPPORTED, |_| {
        cuStreamBeginCapture_v2(CUstream(0), mode::RELAXED)
    };
    "cuStreamBeginCapture_v2: twice" => ERROR_ILLEGAL_STATE, |f| {
        f.while_captured(f.stream(), mode::RELAXED, |stream| cuStreamBeginCapture_v2(stream, mode::RELAXED))
    };
    "cuStreamBeginCapture_v2: in a mode that is none" => ERROR_INVALID_VALUE, |f| cuStreamBeginCapture_v2(f.stream(), 3);
    "cuStreamBeginCaptureToGraph: adds to it" => SUCCESS, |f| {
        let (graph, stream, counter) = (f.graph(), f.stream(), AtomicU32::new(0));
        let first = f.host_node(graph, &counter);
        ok(cuStreamBeginCaptureToGraph(stream, graph, &first, null(), 1, mode::GLOBAL));
        ok(cuLaunchHostFunc(stream, Some(count), pointer(&counter)));
        let (found, mut n) = (f.captured(stream), 0);
        ok(cuGraphGetEdges(graph, null_mut(), null_mut(), &mut n));
        holds(found == graph && n == 1 && nodes(graph) == 2)
    };
    "cuStreamEndCapture: of nothing" => SUCCESS, |f| {
        let graph = f.captured(f.capturing(mode::GLOBAL));
        holds(graph != CUgraph(0) && nodes(graph) == 0)
    };
    "cuStreamEndCapture: without a capture" => ERROR_ILLEGAL_STATE, |f| cuStreamEndCapture(f.stream(), &mut CUgraph(0));
    "cuStreamEndCapture: where it did not begin" => ERROR_STREAM_CAPTURE_UNMATCHED, |f| {
        let (second, event) = (f.stream(), f.event());
        f.while_captured(f.stream(), mode::RELAXED, |first| {
            ok(cuEventRecord(event, first));
            ok(cuStreamWaitEvent(second, event, 0));
            cuStreamEndCapture(second, &mut CUgraph(0))
        })
    };
    "cuStreamEndCapture: with another stream's work not joined" => ERROR_STREAM_CAPTURE_UNJOINED, |f| {
        let (first, second, event, counter) = (f.capturing(mode::RELAXED), f.stream(), f.event(), AtomicU32::new(0));
        ok(cuEventRecord(event, first));
        ok(cuStreamWaitEvent(second, event, 0));
        ok(cuLaunchHostFunc(second, Some(count), pointer(&counter)));
        cuStreamEndCapture(first, &mut CUgraph(0))
    };
    "cuStreamEndCapture: with another stream's work joined" => SUCCESS, |f| {
        let (first, second, counter) = (f.capturing(mode::RELAXED), f.stream(), AtomicU32::new(0));
        let (fork, join) = (f.event(), f.event());
        ok(cuEventRecord(fork, first));
        ok(cuStreamWaitEvent(second, fork, 0));
        ok(cuLaunchHostFunc(second, Some(count), pointer(&counter)));
        ok(cuLaunchHostFunc(first, Some(count), pointer(&counter)));
        ok(cuEventRecord(join, second));
        ok(cuStreamWaitEvent(first, join, 0));
        let graph = f.captured(first);
        f.run(graph);
        holds(counter.load(Ordering::Relaxed) == 2 && nodes(graph) == 2)
    };
    "cuStreamEndCapture: by another thread" => ERROR_STREAM_CAPTURE_WRONG_THREAD, |f| {
        f.while_captured(f.stream(), mode::THREAD_LOCAL, |stream| cuStreamEndCapture(stream, &mut CUgraph(0)))
    };
    "cuStreamEndCapture: by another thread, of a relaxed capture" => SUCCESS, |f| {
        let (stream, context) = (f.capturing(mode::RELAXED), f.context);
        std::thread::spawn(move || {
            // SAFETY: the context lives on; a variable of this thread's own.
            unsafe {
                ok(cuCtxSetCurrent(context));
                cuStreamEndCapture(stream, &mut CUgraph(0))
            }
        })
        .join()
        .unwrap_or(CUresult::ERROR_UNKNOWN)
    };
    "cuStreamEndCapture: after the stream was waited for" => ERROR_STREAM_CAPTURE_INVALIDATED, |f| {
        let stream = f.capturing(mode::RELAXED);
        let failed = cuStreamSynchronize(stream) == CUresult::ERROR_STREAM_CAPTURE_UNSUPPORTED;
        end_after(failed, stream)
    };
    "cuStreamEndCapture: and the stream runs again" => SUCCESS, |f| {
        let (stream, counter) = (f.capturing(mode::RELAXED), AtomicU32::new(0));
        ok(cuLaunchHostFunc(stream, Some(count), pointer(&counter)));
        f.captured(stream);
        ok(cuLaunchHostFunc(stream, Some(count), pointer(&counter)));
        ok(cuStreamSynchronize(stream));
        holds(counter.load(Ordering::Relaxed) == 1)
    };
    "cuStreamSynchronize: while it is captured" => ERROR_STREAM_CAPTURE_UNSUPPORTED, |f| {
        f.while_captured(f.stream(), mode::RELAXED, |stream| cuStreamSynchronize(stream))
    };
    "cuStreamQuery: while it is captured" => ERROR_STREAM_CAPTURE_UNSUPPORTED, |f| {
        f.while_captured(f.stream(), mode::RELAXED, |stream| cuStreamQuery(stream))
    };
    "cuLaunchHostFunc: into an invalid capture" => ERROR_STREAM_CAPTURE_INVALIDATED, |f| {
        let counter = AtomicU32::new(0);
        f.while_captured(f.stream(), mode::RELAXED, |stream| {
            cuStreamSynchronize(stream);
            cuLaunchHostFunc(stream, Some(count), pointer(&counter))
        })
    };
    "cuStreamAddCallback: while it is captured" => ERROR_STREAM_CAPTURE_UNSUPPORTED, |f| {
        unsafe extern "C" fn nothing(_: CUstream, _: CUresult, _: *mut c_void) {}
        f.while_captured(f.stream(), mode::RELAXED, |stream| cuStreamAddCallback(stream, Some(nothing), null_mut(), 0))
    };
    "cuCtxSynchronize: while a stream is captured" => ERROR_STREAM_CAPTURE_UNSUPPORTED, |f| f.while_captured(f.stream(), mode::RELAXED, |_| cuCtxSynchronize());
    "cuCtxRecordEvent: while a stream is captured" => ERROR_STREAM_CAPTURE_UNSUPPORTED, |f| {
        let event = f.event();
        let mut context = CUcontext(0);
        ok(cuCtxGetCurrent(&mut context));
        f.while_captured(f.stream(), mode::RELAXED, |_| cuCtxRecordEvent(context, event))
    };
    "cuCtxWaitEvent: while a stream is captured" => ERROR_STREAM_CAPTURE_UNSUPPORTED, |f| {
        let event = f.event();
        let mut context = CUcontext(0);
        ok(cuCtxGetCurrent(&mut context));
        f.while_captured(f.stream(), mode::RELAXED, |_| cuCtxWaitEvent(context, event))
    };
    "cuMemsetD32_v2: while a blocking stream is captured" => ERROR_STREAM_CAPTURE_IMPLICIT, |f| {
        let address = f.device();
        f.while_captured(f.blocking(), mode::RELAXED, |_| cuMemsetD32_v2(address, 1, 1))
    };
    "cuMemcpyHtoD_v2: while a blocking stream is captured" => ERROR_STREAM_CAPTURE_IMPLICIT, |f| {
        let address = f.device();
        f.while_captured(f.blocking(), mode::RELAXED, |_| cuMemcpyHtoD_v2(address, [1u32].as_ptr().cast(), 4))
    };
    "cuMemsetD32_v2: while a non-blocking stream is captured, relaxed" => SUCCESS, |f| {
        let (address, stream) = (f.device(), f.capturing(mode::RELAXED));
        let code = cuMemsetD32_v2(address, 1, 1);
        f.captured(stream);
        code
    };
    "cuMemAlloc_v2: in a global capture" => ERROR_STREAM_CAPTURE_UNSUPPORTED, |f| {
        f.while_captured(f.stream(), mode::GLOBAL, |_| cuMemAlloc_v2(&mut 0, 16))
    };
    "cuMemAlloc_v2: in a relaxed capture" => SUCCESS, |f| {
        f.while_captured(f.stream(), mode::RELAXED, |_| cuMemAlloc_v2(&mut 0, 16))
    };
    "cuMemAlloc_v2: in another thread's own capture" => SUCCESS, |f| {
        f.while_captured(f.stream(), mode::THREAD_LOCAL, |_| cuMemAlloc_v2(&mut 0, 16))
    };
    "cuMemAllocAsync: becomes a node" => SUCCESS, |f| {
        let (stream, mut address) = (f.capturing(mode::GLOBAL), 0);
        ok(cuMemAllocAsync(&mut address, 64, stream));
        ok(cuMemsetD32Async(address, 3, 4, stream));
        ok(cuMemFreeAsync(address, stream));
        let graph = f.captured(stream);
        f.run(graph);
        holds(nodes(graph) == 3)
    };
    "cuGraphLaunch: into a capture" => ERROR_STREAM_CAPTURE_UNSUPPORTED, |f| {
        let exec = f.exec(f.graph());
        f.while_captured(f.stream(), mode::RELAXED, |stream| cuGraphLaunch(exec, stream))
    };
    "cuEventQuery: of a captured event" => ERROR_CAPTURED_EVENT, |f| {
        let event = f.event();
        f.while_captured(f.stream(), mode::RELAXED, |stream| {
            ok(cuEventRecord(event, stream));
            cuEventQuery(event)
        })
    };
    "cuEventSynchronize: of a captured event" => ERROR_CAPTURED_EVENT, |f| {
        let event = f.event();
        f.while_captured(f.stream(), mode::RELAXED, |stream| {
            ok(cuEventRecord(event, stream));
            cuEventSynchronize(event)
        })
    };
    "cuEventRecordWithFlags: as a node of a capture" => SUCCESS, |f| {
        let (stream, event) = (f.capturing(mode::GLOBAL), f.event());
        ok(cuEventRecordWithFlags(event, stream, event_use::EXTERNAL));
        let graph = f.captured(stream);
        f.run(graph);
        ok(cuEventQuery(event));
        holds(nodes(graph) == 1)
    };
    "cuStreamWaitEvent: of another capture" => ERROR_STREAM_CAPTURE_MERGE, |f| {
        let event = f.event();
        f.while_captured(f.stream(), mode::RELAXED, |first| {
            ok(cuEventRecord(event, first));
            f.while_captured(f.stream(), mode::RELAXED, |second| cuStreamWaitEvent(second, event, 0))
        })
    };
    "cuStreamWaitEvent: of no capture, in one" => ERROR_STREAM_CAPTURE_ISOLATION, |f| {
        let event = f.event();
        ok(cuEventRecord(event, f.stream()));
        f.while_captured(f.stream(), mode::RELAXED, |stream| cuStreamWaitEvent(stream, event, 0))
    };
    "cuStreamWaitEvent: of no capture, as a node of one" => SUCCESS, |f| {
        let event = f.event();
        ok(cuEventRecord(event, f.stream()));
        let stream = f.capturing(mode::RELAXED);
        ok(cuStreamWaitEvent(stream, event, event_use::EXTERNAL));
        holds(nodes(f.captured(stream)) == 1)
    };
    "cuStreamIsCapturing: active, then invalidated" => SUCCESS, |f| {
        let (stream, mut first, mut second) = (f.capturing(mode::RELAXED), 9, 9);
        ok(cuStreamIsCapturing(stream, &mut first));
        cuStreamSynchronize(stream);
        ok(cuStreamIsCapturing(stream, &mut second));
        cuStreamEndCapture(stream, &mut CUgraph(0));
        holds(first == status::ACTIVE && second == status::INVALIDATED)
    };
    "cuStreamIsCapturing: the legacy default stream, while a blocking one is" => ERROR_STREAM_CAPTURE_IMPLICIT, |f| {
        f.while_captured(f.blocking(), mode::RELAXED, |_| cuStreamIsCapturing(CUstream(0), &mut 9))
    };
    "cuStreamGetCaptureInfo: two captures have two numbers" => SUCCESS, |f| {
        let (mut a, mut b, mut is) = (0, 0, 9);
        let (first, second) = (f.capturing(mode::RELAXED), f.capturing(mode::RELAXED));
        ok(cuStreamGetCaptureInfo(first, &mut is, &mut a));
        ok(cuStreamGetCaptureInfo(second, &mut is, &mut b));
        f.captured(first);
        f.captured(second);
        holds(a != b && is == status::ACTIVE)
    };
    "cuStreamGetCaptureInfo_v2: the graph and what comes next waits for" => SUCCESS, |f| {
        let (stream, counter) = (f.capturing(mode::RELAXED), AtomicU32::new(0));
        ok(cuLaunchHostFunc(stream, Some(count), pointer(&counter)));
        let (mut is, mut graph, mut after, mut n, mut node) = (9, CUgraph(0), null(), 0, [CUgraphNode(0)]);
        ok(cuStreamGetCaptureInfo_v2(stream, &mut is, null_mut(), &mut graph, &mut after, &mut n));
        ok(cuGraphGetNodes(graph, node.as_mut_ptr(), &mut 1));
        let found = *after;
        f.captured(stream);
        holds(n == 1 && found == node[0])
    };
    "cuStreamGetCaptureInfo_v3: without edges' data" => SUCCESS, |f| {
        let (stream, mut is) = (f.capturing(mode::RELAXED), 9);
        ok(cuStreamGetCaptureInfo_v3(
            stream, &mut is, null_mut(), null_mut(), null_mut(), null_mut(), null_mut(),
        ));
        f.captured(stream);
        holds(is == status::ACTIVE)
    };
    "cuStreamUpdateCaptureDependencies: to nothing" => SUCCESS, |f| {
        let (stream, counter, mut edges) = (f.capturing(mode::RELAXED), AtomicU32::new(0), 9);
        ok(cuLaunchHostFunc(stream, Some(count), pointer(&counter)));
        ok(cuStreamUpdateCaptureDependencies(stream, null_mut(), 0, 1));
        ok(cuLaunchHostFunc(stream, Some(count), pointer(&counter)));
        let (mut is, mut graph) = (9, CUgraph(0));
        ok(cuStreamGetCaptureInfo_v2(stream, &mut is, null_mut(), &mut graph, null_mut(), null_mut()));
        ok(cuGraphGetEdges(graph, null_mut(), null_mut(), &mut edges));
        cuStreamEndCapture(stream, &mut CUgraph(0));
        holds(edges == 0)
    };
    "cuStreamUpdateCaptureDependencies: without a capture" => ERROR_ILLEGAL_STATE, |f| {
        cuStreamUpdateCaptureDependencies(f.stream(), null_mut(), 0, 1)
    };
    "cuStreamUpdateCaptureDependencies_v2: without edges' data" => SUCCESS, |f| {
        let stream = f.capturing(mode::RELAXED);
        ok(cuStreamUpdateCaptureDependencies_v2(stream, null_mut(), null(), 0, 1));
        f.captured(stream);
        CUresult::SUCCESS
    };
    "cuThreadExchangeStreamCaptureMode: lets an allocation through" => SUCCESS, |f| {
        let (stream, mut mode) = (f.capturing(mode::GLOBAL), mode::RELAXED);
        ok(cuThreadExchangeStreamCaptureMode(&mut mode));
        let code = cuMemAlloc_v2(&mut 0, 16);
        ok(cuThreadExchangeStreamCaptureMode(&mut mode));
        f.captured(stream);
        code
    };
    "cuThreadExchangeStreamCaptureMode: to one that is none" => SUCCESS, |_| {
        cuThreadExchangeStreamCaptureMode(&mut 3)
    };
    "cuThreadExchangeStreamCaptureMode: to null" (sim: "a GPU's driver looks through the pointer") => ERROR_INVALID_VALUE, |_| {
        cuThreadExchangeStreamCaptureMode(null_mut())
    };
}
