//! cudarc, unmodified, on Lanewise's driver: PTX, memory, streams, events, graphs.
//!
//! Run with LD_LIBRARY_PATH=target/driver, as `tests/clients/cudarc/run` does, or by
//! `cargo lanewise test`, which finds the driver itself.

use cudarc::driver::sys::{CUevent_flags, CUgraphInstantiate_flags, CUstreamCaptureMode};
use cudarc::driver::{CudaContext, CudaFunction, DriverError, LaunchConfig, PushKernelArg, result};
use cudarc::nvrtc::Ptx;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// `fill(out, n, value)`: `out[i] = value` for `i < n`.
const KERNELS: &str = include_str!("../../../../host/driver/tests/conformance/kernels.ptx");
const N: usize = 1000;

/// Returns the context, for one test at a time: memory is counted, and while a graph is captured
/// in the global mode no other thread allocates.
fn alone() -> Result<(MutexGuard<'static, ()>, Arc<CudaContext>), DriverError> {
    static LOCK: Mutex<()> = Mutex::new(());
    let guard = LOCK.lock().unwrap_or_else(PoisonError::into_inner);
    Ok((guard, CudaContext::new(0)?))
}

fn fill(context: &Arc<CudaContext>) -> Result<CudaFunction, DriverError> {
    let module = context.load_module(Ptx::from_src(KERNELS))?;
    module.load_function("fill")
}

#[test]
fn a_kernel_from_ptx_fills_a_slice() -> Result<(), DriverError> {
    let (_alone, context) = alone()?;
    let (stream, fill) = (context.default_stream(), fill(&context)?);
    let mut out = stream.alloc_zeros::<u32>(N)?;
    let (n, value) = (N as u32, 7u32);
    let mut launch = stream.launch_builder(&fill);
    launch.arg(&mut out).arg(&n).arg(&value);
    // SAFETY: the kernel takes a pointer to `n` words, `n` and a word.
    unsafe { launch.launch(LaunchConfig::for_num_elems(n)) }?;
    assert_eq!(stream.clone_dtoh(&out)?, vec![7; N]);
    Ok(())
}

#[test]
fn streams_wait_for_each_other_and_events_measure() -> Result<(), DriverError> {
    let (_alone, context) = alone()?;
    let (first, second, fill) = (
        context.new_stream()?,
        context.new_stream()?,
        fill(&context)?,
    );
    let timed = Some(CUevent_flags::CU_EVENT_DEFAULT);
    let mut out = first.alloc_zeros::<u32>(N)?;
    let (n, value) = (N as u32, 3u32);
    let start = first.record_event(timed)?;
    let mut launch = first.launch_builder(&fill);
    launch.arg(&mut out).arg(&n).arg(&value);
    // SAFETY: as above.
    unsafe { launch.launch(LaunchConfig::for_num_elems(n)) }?;
    let end = first.record_event(timed)?;
    second.join(&first)?;
    let copy = second.clone_dtod(&out)?;
    assert_eq!(second.clone_dtoh(&copy)?, vec![3; N]);
    let milliseconds = start.elapsed_ms(&end)?;
    assert!(
        milliseconds > 0.0 && milliseconds < 1.0,
        "{milliseconds} ms"
    );
    Ok(())
}

#[test]
fn a_captured_graph_runs_as_often_as_it_is_launched() -> Result<(), DriverError> {
    let (_alone, context) = alone()?;
    let (stream, fill) = (context.new_stream()?, fill(&context)?);
    let mut out = stream.alloc_zeros::<u32>(N)?;
    let (n, value) = (N as u32, 5u32);
    stream.synchronize()?;
    // SAFETY: one stream uses the slice, so no events are needed between streams.
    unsafe { context.disable_event_tracking() };
    stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_GLOBAL)?;
    let mut launch = stream.launch_builder(&fill);
    launch.arg(&mut out).arg(&n).arg(&value);
    // SAFETY: as above.
    unsafe { launch.launch(LaunchConfig::for_num_elems(n)) }?;
    let graph = stream
        .end_capture(CUgraphInstantiate_flags(0))?
        .expect("a graph was captured");
    for _ in 0..2 {
        stream.memset_zeros(&mut out)?;
        graph.launch()?;
        assert_eq!(stream.clone_dtoh(&out)?, vec![5; N]);
    }
    Ok(())
}

#[test]
fn memory_is_counted_and_comes_back() -> Result<(), DriverError> {
    let (_alone, context) = alone()?;
    let stream = context.default_stream();
    stream.synchronize()?;
    let (before, total) = result::mem_get_info()?;
    let held = stream.alloc_zeros::<u8>(64 << 20)?;
    stream.synchronize()?;
    let (during, _) = result::mem_get_info()?;
    assert!(
        before - during >= 64 << 20 && before <= total,
        "{before} {during} {total}"
    );
    drop(held);
    stream.synchronize()?;
    assert_eq!(result::mem_get_info()?.0, before);
    Ok(())
}

#[test]
fn a_wrong_name_and_wrong_ptx_are_errors() -> Result<(), DriverError> {
    let (_alone, context) = alone()?;
    assert!(
        context
            .load_module(Ptx::from_src(KERNELS))?
            .load_function("missing")
            .is_err()
    );
    assert!(
        context
            .load_module(Ptx::from_src(".version 7.0\nnonsense"))
            .is_err()
    );
    Ok(())
}
