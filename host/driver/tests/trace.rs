//! `LANEWISE_TRACE`: reads back the file that a process writes.
//!
//! Each trace comes from a process of its own, because it is written when the process ends. The
//! stand-in of `tests/pass_through.rs` takes the place of the machine's driver.

mod answer;
mod fake;

use answer::ok;
use lanewise_driver::abi::*;
use lanewise_driver::api::*;
use serde_json::Value;
use std::path::Path;
use std::process::Command;
use std::ptr::null_mut;

/// The variable that names the task of a child process.
const TASK: &str = "LANEWISE_TEST_TASK";

/// The tasks of the child processes. In the test's own process it does nothing.
#[test]
fn tasks() {
    match std::env::var(TASK).as_deref() {
        Ok("simulated") => simulated(),
        Ok("measured") => measured(),
        _ => {}
    }
}

const BYTES: usize = 1 << 20;

/// Two streams: a copy and a kernel in one, a copy back in the other; then the same as a graph.
#[allow(
    clippy::undocumented_unsafe_blocks,
    reason = "driver calls with arguments of this function's own"
)]
fn simulated() {
    let (mut context, mut module, mut fill) = (CUcontext(0), CUmodule(0), CUfunction(0));
    let mut streams = [CUstream(0); 2];
    let (mut device, mut host) = (0u64, [null_mut(); 2]);
    unsafe {
        ok(cuInit(0));
        ok(cuCtxCreate_v2(&mut context, 0, 0));
        let ptx = concat!(include_str!("conformance/kernels.ptx"), "\0");
        ok(cuModuleLoadData(&mut module, ptx.as_ptr().cast()));
        ok(cuModuleGetFunction(&mut fill, module, c"fill".as_ptr()));
        ok(cuMemAlloc_v2(&mut device, BYTES));
        for (stream, host) in streams.iter_mut().zip(&mut host) {
            ok(cuStreamCreate(stream, 1));
            ok(cuMemAllocHost_v2(host, BYTES));
        }
    }
    let work = |[first, second]: [CUstream; 2]| unsafe {
        let (mut address, mut n, mut value) = (device, 4u32, 9u32);
        let mut params = [
            (&raw mut address).cast(),
            (&raw mut n).cast(),
            (&raw mut value).cast(),
        ];
        let list = params.as_mut_ptr();
        ok(cuMemcpyHtoDAsync_v2(device, host[0], BYTES, first));
        ok(cuLaunchKernel(
            fill,
            2,
            1,
            1,
            32,
            1,
            1,
            0,
            first,
            list,
            null_mut(),
        ));
        ok(cuMemcpyDtoHAsync_v2(host[1], device, BYTES, second));
    };
    work(streams);
    unsafe {
        ok(cuCtxSynchronize());
        let (mut graph, mut exec) = (CUgraph(0), CUgraphExec(0));
        ok(cuStreamBeginCapture_v2(streams[0], 0));
        work([streams[0]; 2]);
        ok(cuStreamEndCapture(streams[0], &mut graph));
        ok(cuGraphInstantiateWithFlags(&mut exec, graph, 0));
        ok(cuGraphLaunch(exec, streams[0]));
        ok(cuCtxSynchronize());
        assert_eq!(
            cuCtxDestroy_v2(CUcontext(7)),
            CUresult::ERROR_INVALID_CONTEXT
        );
    }
}

/// A memset and a kernel, whose launch function the program has looked up by name.
#[allow(
    clippy::undocumented_unsafe_blocks,
    reason = "driver calls with arguments that the stand-in ignores"
)]
fn measured() {
    unsafe {
        ok(cuInit(0));
        ok(cuMemsetD32Async(16, 0, 100, CUstream(48)));
        let mut found = null_mut();
        ok(cuGetProcAddress(
            c"cuLaunchKernel".as_ptr(),
            &mut found,
            12_000,
            0,
        ));
        assert_eq!(found.cast_const().cast::<()>(), cuLaunchKernel as *const ());
        ok(cuLaunchKernel(
            CUfunction(32),
            2,
            1,
            1,
            64,
            1,
            1,
            0,
            CUstream(48),
            null_mut(),
            null_mut(),
        ));
    }
}

/// Runs a task and returns its trace.
fn trace(task: &str, device: &str, library: Option<&Path>) -> Vec<Value> {
    let folder = tempfile::tempdir().expect("a folder for the trace");
    let file = folder.path().join("trace.json");
    let mut command = Command::new(std::env::current_exe().expect("a test has an executable"));
    command
        .args(["tasks", "--exact", "--nocapture"])
        .env(TASK, task)
        .env("LANEWISE_DEVICE", device)
        .env("LANEWISE_TRACE", &file);
    if let Some(library) = library {
        command.env("LD_LIBRARY_PATH", library);
    }
    let output = command.output().expect("a test can run itself");
    assert!(
        output.status.success(),
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    let text = std::fs::read_to_string(&file).expect("the process left a trace");
    let whole: Value = serde_json::from_str(&text).expect("the trace is JSON");
    whole["traceEvents"]
        .as_array()
        .expect("a list of events")
        .clone()
}

/// The bars with this name, sorted by their start.
fn named<'a>(events: &'a [Value], name: &str) -> Vec<&'a Value> {
    let is = |event: &&Value| event["ph"] == "X" && event["name"] == name;
    let mut found: Vec<_> = events.iter().filter(is).collect();
    found.sort_by(|a, b| span(a).0.total_cmp(&span(b).0));
    found
}

fn span(event: &Value) -> (f64, f64) {
    let start = event["ts"].as_f64().expect("a start");
    (start, start + event["dur"].as_f64().expect("a duration"))
}

#[test]
fn a_trace_has_the_streams_their_work_and_the_calls_in_modelled_time() {
    let events = trace("simulated", "sim", None);
    let (up, down, fill) = (
        named(&events, "copy to device"),
        named(&events, "copy to host"),
        named(&events, "fill"),
    );
    assert_eq!([up.len(), down.len(), fill.len()], [2; 3], "{events:#?}");
    assert_eq!(fill[0]["cat"], "kernel");
    assert_eq!(fill[0]["args"]["grid"], serde_json::json!([2, 1, 1]));
    assert_eq!(up[0]["args"]["bytes"], BYTES);
    // In the streams the copies overlap; in the graph, a chain, they do not.
    assert!(span(down[0]).0 < span(up[0]).1 && up[0]["tid"] != down[0]["tid"]);
    assert!(span(down[1]).0 >= span(fill[1]).1 && span(fill[1]).0 >= span(up[1]).1);
    // The kernel comes after the copy of its stream, and the copy after the call that made it.
    assert!(span(fill[0]).0 >= span(up[0]).1 && fill[0]["tid"] == up[0]["tid"]);
    let call = named(&events, "cuMemcpyHtoDAsync_v2");
    assert!(span(up[0]).0 >= span(call[0]).0);
    // The host waits until the last of the work is done.
    let wait = named(&events, "cuCtxSynchronize");
    assert!(span(wait[0]).1 >= span(down[0]).1);
    let failed = named(&events, "cuCtxDestroy_v2");
    assert!(
        failed[0]["args"]["result"]
            .as_str()
            .is_some_and(|code| code.contains("INVALID_CONTEXT"))
    );
    let tracks = events.iter().filter(|event| event["name"] == "thread_name");
    assert_eq!(tracks.count(), 3, "two streams and a thread");
}

#[test]
fn the_same_program_gives_the_same_modelled_picture() {
    let picture = || {
        let events = trace("simulated", "sim", None);
        let bars = events
            .iter()
            .filter(|event| event["cat"] != "call" && event["ph"] == "X");
        bars.map(|event| {
            (
                event["name"].clone(),
                event["ts"].clone(),
                event["dur"].clone(),
            )
        })
        .collect::<Vec<_>>()
    };
    assert_eq!(picture(), picture());
}

#[test]
fn a_gpu_is_measured_by_events_around_its_work() {
    let folder = tempfile::tempdir().expect("a folder for the stand-in");
    if !fake::build(folder.path()) {
        println!("skipped: there is no rustc to build the stand-in with");
        return;
    }
    let events = trace("measured", "cuda", Some(folder.path()));
    let (set, kernel) = (named(&events, "set"), named(&events, "fake_kernel"));
    assert_eq!((set.len(), kernel.len()), (1, 1), "{events:#?}");
    // The stand-in's events tick by a millisecond each.
    for bar in [set[0], kernel[0]] {
        assert_eq!(bar["dur"], 1000.0);
    }
    let apart = span(kernel[0]).0 - span(set[0]).0;
    assert!((apart - 2000.0).abs() < 1e-6, "{apart}");
    assert_eq!(set[0]["args"]["bytes"], 400);
    assert_eq!(named(&events, "cuLaunchKernel").len(), 1);
}
