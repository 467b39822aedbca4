//! What events measure on the simulator: modelled time, which is the same in every run, and which
//! overlaps where work overlaps on a GPU.

mod answer;

use answer::ok;
use lanewise_driver::abi::*;
use lanewise_driver::api::*;
use std::ptr::null_mut;
use std::sync::{Mutex, MutexGuard};

/// The device has one set of engines, so only one of these tests uses it at a time.
static DEVICE: Mutex<()> = Mutex::new(());

/// A fresh context, current on this thread, with the device to itself.
struct Context {
    handle: CUcontext,
    _turn: MutexGuard<'static, ()>,
}

/// A context of the simulator. On a GPU, which measures real time, prints a line
/// and returns `None`.
fn simulated() -> Option<Context> {
    let context = Context::new();
    if lanewise_driver::backend() == Some(lanewise_driver::Backend::Sim) {
        return Some(context);
    }
    println!("skipped: the time of a GPU is measured, not modelled");
    None
}

/// The bytes of each copy.
const BYTES: usize = 8 << 20;

#[allow(
    clippy::undocumented_unsafe_blocks,
    reason = "driver calls with arguments of this file's own"
)]
impl Context {
    fn new() -> Context {
        let turn = DEVICE
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        let mut handle = CUcontext::default();
        ok(unsafe { cuInit(0) });
        ok(unsafe { cuCtxCreate_v2(&mut handle, 0, 0) });
        Context {
            handle,
            _turn: turn,
        }
    }

    fn stream(&self) -> CUstream {
        let mut stream = CUstream::default();
        ok(unsafe { cuStreamCreate(&mut stream, 0) });
        stream
    }

    fn event(&self) -> CUevent {
        let mut event = CUevent::default();
        ok(unsafe { cuEventCreate(&mut event, 0) });
        event
    }

    fn device(&self) -> CUdeviceptr {
        let mut address = 0;
        ok(unsafe { cuMemAlloc_v2(&mut address, BYTES) });
        address
    }

    fn pinned(&self) -> *mut c_void {
        let mut pointer = null_mut();
        ok(unsafe { cuMemAllocHost_v2(&mut pointer, BYTES) });
        pointer
    }

    /// Milliseconds of modelled time between two points of the legacy default stream around `work`.
    fn time(&self, work: impl FnOnce()) -> f32 {
        let (start, end, mut milliseconds) = (self.event(), self.event(), 0.0);
        ok(unsafe { cuEventRecord(start, CUstream(0)) });
        work();
        ok(unsafe { cuEventRecord(end, CUstream(0)) });
        ok(unsafe { cuEventSynchronize(end) });
        ok(unsafe { cuEventElapsedTime(&mut milliseconds, start, end) });
        milliseconds
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: any value is allowed.
        ok(unsafe { cuCtxDestroy_v2(self.handle) });
    }
}

#[test]
fn copies_in_both_directions_overlap() {
    let Some(context) = simulated() else { return };
    let (pinned, device) = (
        [context.pinned(), context.pinned()],
        [context.device(), context.device()],
    );
    let streams = [context.stream(), context.stream()];
    // SAFETY: both ends have this many bytes and live until the context goes.
    let up = |stream| ok(unsafe { cuMemcpyHtoDAsync_v2(device[0], pinned[0], BYTES, stream) });
    // SAFETY: as above.
    let down = |stream| ok(unsafe { cuMemcpyDtoHAsync_v2(pinned[1], device[1], BYTES, stream) });
    let alone = context.time(|| up(streams[0]));
    let together = context.time(|| {
        up(streams[0]);
        down(streams[1]);
    });
    let one_direction = context.time(|| {
        up(streams[0]);
        up(streams[1]);
    });
    assert!(
        together < 1.1 * alone,
        "two directions take {together} ms, one takes {alone} ms"
    );
    assert!(
        one_direction > 1.9 * alone,
        "one direction twice takes {one_direction} ms, once {alone} ms"
    );
    // An H200's link: 8 MiB at 55.5 GB/s, and some latency.
    assert!((0.151..0.16).contains(&alone), "{alone}");
}

#[test]
fn pageable_copies_are_slower_and_hold_up_the_host() {
    let Some(context) = simulated() else { return };
    let (pinned, device, pageable) = (context.pinned(), context.device(), vec![0u8; BYTES]);
    // SAFETY: both ends have this many bytes and live until the context goes.
    let fast = context.time(|| ok(unsafe { cuMemcpyHtoD_v2(device, pinned, BYTES) }));
    // SAFETY: as above.
    let slow =
        context.time(|| ok(unsafe { cuMemcpyHtoD_v2(device, pageable.as_ptr().cast(), BYTES) }));
    assert!(
        (4.0..6.0).contains(&(slow / fast)),
        "{slow} ms against {fast} ms"
    );
}

#[test]
fn the_same_work_takes_the_same_time_whatever_the_threads_do() {
    if simulated().is_none() {
        return;
    }
    let run = || {
        let context = Context::new();
        let (pinned, device) = (context.pinned(), context.device());
        let streams = [0; 4].map(|_| context.stream());
        context.time(|| {
            for i in 0..32 {
                // SAFETY: both ends have this many bytes and live until the context goes.
                ok(unsafe { cuMemcpyHtoDAsync_v2(device, pinned, 1000 * i, streams[i % 4]) });
                // SAFETY: as above.
                ok(unsafe { cuMemsetD8Async(device, 1, 1 << 20, streams[(i + 1) % 4]) });
            }
        })
    };
    let first = run();
    assert!(first > 0.0);
    assert_eq!([run(), run(), run()], [first; 3]);
}

#[test]
fn branches_of_a_graph_overlap_and_a_chain_does_not() {
    let Some(context) = simulated() else { return };
    let (pinned, device) = (
        [context.pinned(), context.pinned()],
        [context.device(), context.device()],
    );
    let [first, second] = [context.stream(), context.stream()];
    let (fork, join) = (context.event(), context.event());
    // One copy up and one down, captured in one stream or in two that part and meet again.
    let captured = |side: CUstream| {
        let (mut graph, mut exec) = (CUgraph(0), CUgraphExec(0));
        // SAFETY: both ends have this many bytes and live until the context goes.
        unsafe {
            ok(cuStreamBeginCapture_v2(first, 2));
            ok(cuEventRecord(fork, first));
            ok(cuStreamWaitEvent(side, fork, 0));
            ok(cuMemcpyHtoDAsync_v2(device[0], pinned[0], BYTES, first));
            ok(cuMemcpyDtoHAsync_v2(pinned[1], device[1], BYTES, side));
            ok(cuEventRecord(join, side));
            ok(cuStreamWaitEvent(first, join, 0));
            ok(cuStreamEndCapture(first, &mut graph));
            ok(cuGraphInstantiateWithFlags(&mut exec, graph, 0));
        }
        exec
    };
    let (chain, branches) = (captured(first), captured(second));
    // SAFETY: handles of this function's own.
    let chained = context.time(|| ok(unsafe { cuGraphLaunch(chain, first) }));
    // SAFETY: as above.
    let branched = context.time(|| ok(unsafe { cuGraphLaunch(branches, first) }));
    assert!(
        chained > 1.9 * branched,
        "a chain takes {chained} ms, branches take {branched} ms"
    );
}
