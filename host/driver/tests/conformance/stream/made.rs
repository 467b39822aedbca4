//! Streams, host functions, and the attributes of streams.

use crate::fixture::{hold, holds, ok};
use crate::rows;
use lanewise_driver::abi::enums::launch_attribute;
use lanewise_driver::abi::*;
use lanewise_driver::api::*;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU32, Ordering};

/// Adds one to the counter it is given.
unsafe extern "C" fn count(counter: *mut c_void) {
    // SAFETY: the rows pass a counter that outlives the stream's work.
    unsafe { &*counter.cast::<AtomicU32>() }.fetch_add(1, Ordering::Relaxed);
}

/// Records the code of a driver call that a callback makes.
unsafe extern "C" fn call_the_driver(code: *mut c_void) {
    let (mut free, mut total) = (0, 0);
    // SAFETY: variables of this function's own.
    let got = unsafe { cuMemGetInfo_v2(&mut free, &mut total) };
    // SAFETY: the row passes a variable that outlives the stream's work.
    unsafe { &*code.cast::<AtomicU32>() }.store(got.0, Ordering::Relaxed);
}

/// Records the status that a callback receives.
unsafe extern "C" fn note_status(_: CUstream, status: CUresult, code: *mut c_void) {
    // SAFETY: the row passes a variable that outlives the stream's work.
    unsafe { &*code.cast::<AtomicU32>() }.store(status.0, Ordering::Relaxed);
}

/// Sleeps far longer than a call that does not wait takes.
unsafe extern "C" fn dawdle(_: *mut c_void) {
    std::thread::sleep(std::time::Duration::from_millis(20));
}

fn pointer(counter: &AtomicU32) -> *mut c_void {
    (counter as *const AtomicU32).cast_mut().cast()
}

rows! {
    "cuStreamCreate: blocking" => SUCCESS, |_| {
        let (mut stream, mut flags) = (CUstream::default(), 9);
        ok(cuStreamCreate(&mut stream, 0));
        ok(cuStreamGetFlags(stream, &mut flags));
        holds(flags == 0)
    };
    "cuStreamCreate: with flags that are none" => ERROR_INVALID_VALUE, |_| cuStreamCreate(&mut CUstream::default(), 8);
    "cuStreamCreate: to null" => ERROR_INVALID_VALUE, |_| cuStreamCreate(null_mut(), 0);
    "cuStreamCreate: without a context" => ERROR_INVALID_CONTEXT, |_| {
        ok(cuCtxPopCurrent_v2(null_mut()));
        cuStreamCreate(&mut CUstream::default(), 0)
    };
    "cuStreamCreateWithPriority: moved into the range" => SUCCESS, |_| {
        let (mut stream, mut priority, mut least, mut greatest) = (CUstream::default(), 9, 9, 9);
        ok(cuCtxGetStreamPriorityRange(&mut least, &mut greatest));
        ok(cuStreamCreateWithPriority(&mut stream, 1, greatest - 100));
        ok(cuStreamGetPriority(stream, &mut priority));
        holds(priority == greatest)
    };
    "cuStreamDestroy_v2: once" => SUCCESS, |f| cuStreamDestroy_v2(f.stream());
    "cuStreamDestroy_v2: with work in it" => SUCCESS, |f| {
        let (stream, counter) = (f.stream(), AtomicU32::new(0));
        ok(cuLaunchHostFunc(stream, Some(dawdle), null_mut()));
        ok(cuLaunchHostFunc(stream, Some(count), pointer(&counter)));
        ok(cuStreamDestroy_v2(stream));
        ok(cuCtxSynchronize());
        holds(counter.load(Ordering::Relaxed) == 1)
    };
    "cuStreamDestroy_v2: twice" (sim: "a GPU's driver looks through the handle") => ERROR_INVALID_HANDLE, |f| {
        let stream = f.stream();
        ok(cuStreamDestroy_v2(stream));
        cuStreamDestroy_v2(stream)
    };
    "cuStreamDestroy_v2: the default stream" => ERROR_INVALID_HANDLE, |_| cuStreamDestroy_v2(CUstream(0));
    "cuStreamGetFlags: of a non-blocking one" => SUCCESS, |f| {
        let mut flags = 9;
        ok(cuStreamGetFlags(f.stream(), &mut flags));
        holds(flags == 1)
    };
    "cuStreamGetPriority: of the default stream" => SUCCESS, |_| cuStreamGetPriority(CUstream(0), &mut 9);
    "cuStreamGetCtx: of a stream" => SUCCESS, |f| {
        let mut context = CUcontext(0);
        ok(cuStreamGetCtx(f.stream(), &mut context));
        holds(context == f.context)
    };
    "cuStreamGetId: two have two" => SUCCESS, |f| {
        let (mut a, mut b) = (0, 0);
        ok(cuStreamGetId(f.stream(), &mut a));
        ok(cuStreamGetId(f.stream(), &mut b));
        holds(a != b)
    };
    "cuStreamGetDevice: of a stream" (sim: "drivers before CUDA 12.8 do not have it") => SUCCESS, |f| cuStreamGetDevice(f.stream(), &mut 9);
    "cuStreamQuery: with nothing in it" => SUCCESS, |f| cuStreamQuery(f.stream());
    "cuStreamQuery: with work in it" => ERROR_NOT_READY, |f| {
        let stream = f.stream();
        let held = hold(stream);
        let code = cuStreamQuery(stream);
        drop(held);
        ok(cuStreamSynchronize(stream));
        code
    };
    "cuStreamSynchronize: waits" => SUCCESS, |f| {
        let (stream, counter) = (f.stream(), AtomicU32::new(0));
        ok(cuLaunchHostFunc(stream, Some(dawdle), null_mut()));
        ok(cuLaunchHostFunc(stream, Some(count), pointer(&counter)));
        ok(cuStreamSynchronize(stream));
        holds(counter.load(Ordering::Relaxed) == 1)
    };
    "cuStreamSynchronize: garbage" (sim: "a GPU's driver looks through the handle") => ERROR_INVALID_HANDLE, |_| {
        cuStreamSynchronize(CUstream(0xdead_beef))
    };
    "cuStreamWaitEvent: that another stream recorded" => SUCCESS, |f| {
        let (first, second, event, counter) = (f.stream(), f.stream(), f.event(), AtomicU32::new(0));
        ok(cuLaunchHostFunc(first, Some(dawdle), null_mut()));
        ok(cuLaunchHostFunc(first, Some(count), pointer(&counter)));
        ok(cuEventRecord(event, first));
        ok(cuStreamWaitEvent(second, event, 0));
        ok(cuStreamSynchronize(second));
        holds(counter.load(Ordering::Relaxed) == 1)
    };
    "cuStreamWaitEvent: that was not recorded" => SUCCESS, |f| {
        let stream = f.stream();
        ok(cuStreamWaitEvent(stream, f.event(), 0));
        cuStreamSynchronize(stream)
    };
    "cuStreamWaitEvent: null" => ERROR_INVALID_HANDLE, |f| cuStreamWaitEvent(f.stream(), CUevent(0), 0);
    "cuStreamAddCallback: is told the status" => SUCCESS, |f| {
        let (stream, status) = (f.stream(), AtomicU32::new(99));
        ok(cuStreamAddCallback(stream, Some(note_status), pointer(&status), 0));
        ok(cuStreamSynchronize(stream));
        holds(status.load(Ordering::Relaxed) == 0)
    };
    "cuStreamAddCallback: null" => ERROR_INVALID_VALUE, |f| cuStreamAddCallback(f.stream(), None, null_mut(), 0);
    "cuStreamAddCallback: with flags" => ERROR_INVALID_VALUE, |f| {
        cuStreamAddCallback(f.stream(), Some(note_status), null_mut(), 1)
    };
    "cuLaunchHostFunc: in order" => SUCCESS, |f| {
        let (stream, counter) = (f.stream(), AtomicU32::new(0));
        for _ in 0..100 {
            ok(cuLaunchHostFunc(stream, Some(count), pointer(&counter)));
        }
        ok(cuStreamSynchronize(stream));
        holds(counter.load(Ordering::Relaxed) == 100)
    };
    "cuLaunchHostFunc: null" => ERROR_INVALID_VALUE, |f| cuLaunchHostFunc(f.stream(), None, null_mut());
    "cuLaunchHostFunc: that calls the driver" => SUCCESS, |f| {
        let (stream, code) = (f.stream(), AtomicU32::new(0));
        ok(cuLaunchHostFunc(stream, Some(call_the_driver), pointer(&code)));
        ok(cuStreamSynchronize(stream));
        holds(code.load(Ordering::Relaxed) == CUresult::ERROR_NOT_PERMITTED.0)
    };
    "cuStreamSetAttribute: and get" => SUCCESS, |f| {
        let stream = f.stream();
        let mut value = CUlaunchAttributeValue { bytes: [0; 64] };
        value.bytes[0] = 2; // CU_SYNC_POLICY_SPIN
        ok(cuStreamSetAttribute(stream, launch_attribute::SYNCHRONIZATION_POLICY, &value));
        let mut found = CUlaunchAttributeValue { bytes: [0; 64] };
        ok(cuStreamGetAttribute(stream, launch_attribute::SYNCHRONIZATION_POLICY, &mut found));
        holds(found.word(0) == 2)
    };
    "cuStreamGetAttribute: none" => ERROR_INVALID_VALUE, |f| {
        cuStreamGetAttribute(f.stream(), 1000, &mut CUlaunchAttributeValue { bytes: [0; 64] })
    };
    "cuStreamCopyAttributes: of one stream to another" => SUCCESS, |f| cuStreamCopyAttributes(f.stream(), f.stream());
    "cuStreamIsCapturing: that does not" => SUCCESS, |f| {
        let mut status = 9;
        ok(cuStreamIsCapturing(f.stream(), &mut status));
        holds(status == 0)
    };
    "cuStreamGetCaptureInfo: that does not" => SUCCESS, |f| cuStreamGetCaptureInfo(f.stream(), &mut 9, &mut 9);
    "cuStreamGetCaptureInfo_v2: that does not" => SUCCESS, |f| {
        cuStreamGetCaptureInfo_v2(f.stream(), &mut 9, &mut 9, null_mut(), null_mut(), null_mut())
    };
    "cuThreadExchangeStreamCaptureMode: and back" => SUCCESS, |_| {
        let mut mode = 2;
        ok(cuThreadExchangeStreamCaptureMode(&mut mode));
        ok(cuThreadExchangeStreamCaptureMode(&mut mode));
        holds(mode == 2)
    };
}
