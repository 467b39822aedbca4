//! What the driver guarantees about events.

use crate::fixture::{BYTES, hold, holds, ok};
use crate::rows;
use lanewise_driver::abi::*;
use lanewise_driver::api::*;
use std::ptr::null_mut;

/// Sleeps far longer than a call that does not wait takes.
unsafe extern "C" fn dawdle(_: *mut c_void) {
    std::thread::sleep(std::time::Duration::from_millis(20));
}

/// Returns the context of this thread.
fn current() -> CUcontext {
    let mut context = CUcontext(0);
    // SAFETY: the result has a place.
    ok(unsafe { cuCtxGetCurrent(&mut context) });
    context
}

rows! {
    "cuEventCreate: with every flag" => SUCCESS, |_| cuEventCreate(&mut CUevent::default(), 3);
    "cuEventCreate: with flags that are none" => ERROR_INVALID_VALUE, |_| cuEventCreate(&mut CUevent::default(), 0x100);
    "cuEventCreate: for other processes, with times" => ERROR_INVALID_VALUE, |_| cuEventCreate(&mut CUevent::default(), 4);
    "cuEventCreate: to null" => ERROR_INVALID_VALUE, |_| cuEventCreate(null_mut(), 0);
    "cuEventRecord: on a stream" => SUCCESS, |f| cuEventRecord(f.event(), f.stream());
    "cuEventRecord: null" => ERROR_INVALID_HANDLE, |f| cuEventRecord(CUevent(0), f.stream());
    "cuEventRecord: on another context's stream" => ERROR_INVALID_HANDLE, |f| {
        let event = f.event();
        let (mut other, mut stream) = (CUcontext(0), CUstream(0));
        ok(cuCtxCreate_v2(&mut other, 0, 0));
        ok(cuStreamCreate(&mut stream, 0));
        let code = cuEventRecord(event, stream);
        ok(cuCtxDestroy_v2(other));
        code
    };
    "cuEventRecordWithFlags: none" => SUCCESS, |f| cuEventRecordWithFlags(f.event(), f.stream(), 0);
    "cuEventQuery: that was not recorded" => SUCCESS, |f| cuEventQuery(f.event());
    "cuEventQuery: behind work" => ERROR_NOT_READY, |f| {
        let (stream, event) = (f.stream(), f.event());
        let held = hold(stream);
        ok(cuEventRecord(event, stream));
        let code = cuEventQuery(event);
        drop(held);
        ok(cuStreamSynchronize(stream));
        code
    };
    "cuEventSynchronize: behind work" => SUCCESS, |f| {
        let (stream, event) = (f.stream(), f.event());
        ok(cuLaunchHostFunc(stream, Some(dawdle), null_mut()));
        ok(cuEventRecord(event, stream));
        ok(cuEventSynchronize(event));
        cuStreamQuery(stream)
    };
    "cuCtxRecordEvent: behind work of every stream" => ERROR_NOT_READY, |f| {
        let (stream, event) = (f.stream(), f.event());
        let held = hold(stream);
        ok(cuCtxRecordEvent(current(), event));
        let code = cuEventQuery(event);
        drop(held);
        ok(cuEventSynchronize(event));
        ok(cuStreamQuery(stream));
        code
    };
    "cuCtxRecordEvent: null" => ERROR_INVALID_HANDLE, |_| cuCtxRecordEvent(current(), CUevent(0));
    "cuCtxRecordEvent: of no context" => ERROR_INVALID_CONTEXT, |f| cuCtxRecordEvent(CUcontext(0), f.event());
    "cuCtxRecordEvent: another context's" => ERROR_INVALID_HANDLE, |f| {
        let event = f.event();
        let mut other = CUcontext(0);
        ok(cuCtxCreate_v2(&mut other, 0, 0));
        let code = cuCtxRecordEvent(other, event);
        ok(cuCtxDestroy_v2(other));
        code
    };
    "cuCtxWaitEvent: other streams wait, one made later too" => ERROR_NOT_READY, |f| {
        let (stream, other, [event, before, after]) = (f.stream(), f.stream(), [(); 3].map(|()| f.event()));
        let held = hold(stream);
        ok(cuEventRecord(event, stream));
        ok(cuEventRecord(before, other));
        ok(cuCtxWaitEvent(current(), event));
        ok(cuEventRecord(after, other));
        ok(cuEventSynchronize(before));
        let code = cuEventQuery(after);
        ok(cuEventRecord(after, f.stream()));
        assert_eq!(cuEventQuery(after), code);
        drop(held);
        ok(cuCtxSynchronize());
        ok(cuEventQuery(after));
        code
    };
    "cuCtxWaitEvent: that was not recorded" => SUCCESS, |f| cuCtxWaitEvent(current(), f.event());
    "cuCtxWaitEvent: null" => ERROR_INVALID_HANDLE, |_| cuCtxWaitEvent(current(), CUevent(0));
    "cuCtxWaitEvent: of no context" => ERROR_INVALID_CONTEXT, |f| cuCtxWaitEvent(CUcontext(0), f.event());
    "cuCtxWaitEvent: for another context's" => SUCCESS, |f| {
        let event = f.event();
        let mut other = CUcontext(0);
        ok(cuEventRecord(event, f.stream()));
        ok(cuCtxCreate_v2(&mut other, 0, 0));
        let code = cuCtxWaitEvent(other, event);
        ok(cuCtxDestroy_v2(other));
        code
    };
    "cuEventSynchronize: null" => ERROR_INVALID_HANDLE, |_| cuEventSynchronize(CUevent(0));
    "cuEventDestroy_v2: once" => SUCCESS, |f| cuEventDestroy_v2(f.event());
    "cuEventDestroy_v2: twice" (sim: "a GPU's driver looks through the handle") => ERROR_INVALID_HANDLE, |f| {
        let event = f.event();
        ok(cuEventDestroy_v2(event));
        cuEventDestroy_v2(event)
    };
    "cuEventElapsedTime: of a copy" => SUCCESS, |f| {
        let (start, end, device, pinned) = (f.event(), f.event(), f.device(), f.pinned());
        let mut milliseconds = -1.0;
        ok(cuEventRecord(start, CUstream(0)));
        ok(cuMemcpyHtoDAsync_v2(device, pinned, BYTES, CUstream(0)));
        ok(cuEventRecord(end, CUstream(0)));
        ok(cuEventSynchronize(end));
        ok(cuEventElapsedTime(&mut milliseconds, start, end));
        holds(milliseconds > 0.0 && milliseconds < 1000.0)
    };
    "cuEventElapsedTime: before the end" => ERROR_NOT_READY, |f| {
        let (start, end, stream) = (f.event(), f.event(), f.stream());
        ok(cuEventRecord(start, stream));
        let held = hold(stream);
        ok(cuEventRecord(end, stream));
        let code = cuEventElapsedTime(&mut 0.0, start, end);
        drop(held);
        ok(cuStreamSynchronize(stream));
        code
    };
    "cuEventElapsedTime: of what was not recorded" => ERROR_INVALID_HANDLE, |f| {
        cuEventElapsedTime(&mut 0.0, f.event(), f.event())
    };
    "cuEventElapsedTime: without times" => ERROR_INVALID_HANDLE, |f| {
        let mut untimed = CUevent(0);
        ok(cuEventCreate(&mut untimed, 2));
        let start = f.event();
        ok(cuEventRecord(start, CUstream(0)));
        ok(cuEventRecord(untimed, CUstream(0)));
        ok(cuEventSynchronize(untimed));
        cuEventElapsedTime(&mut 0.0, start, untimed)
    };
    "cuEventElapsedTime: to null" => ERROR_INVALID_HANDLE, |f| {
        let event = f.event();
        ok(cuEventRecord(event, CUstream(0)));
        ok(cuEventSynchronize(event));
        cuEventElapsedTime(null_mut(), event, event)
    };
    "cuEventElapsedTime_v2: of nothing" (sim: "drivers before CUDA 12.8 do not have it") => SUCCESS, |f| {
        let event = f.event();
        ok(cuEventRecord(event, CUstream(0)));
        ok(cuEventSynchronize(event));
        let mut milliseconds = 1.0;
        ok(cuEventElapsedTime_v2(&mut milliseconds, event, event));
        holds(milliseconds == 0.0)
    };
}
