//! Old versions of calls, and their variants for programs with a default stream per thread.

use crate::fixture::{Fixture, c, holds, ok, param};
use crate::rows;
use lanewise_driver::abi::*;
use lanewise_driver::api::*;
use std::ptr::{null, null_mut};

/// Returns the function that the driver has for a name, a version and flags.
fn found(name: &str, version: i32, flags: u64) -> *mut c_void {
    let mut address = null_mut();
    // SAFETY: a name and a variable of this function's own.
    ok(unsafe { cuGetProcAddress(c(name), &mut address, version, flags) });
    address
}

/// Returns whether `call` waits for a kernel that spins for a while on `held`, that is, whether the
/// two are in one stream.
fn waits(f: &Fixture, held: CUstream, call: impl FnOnce(CUevent)) -> bool {
    let (mut out, mut n, mut value) = (f.device(), 100u32, 7u32);
    let mut params = [param(&mut out), param(&mut n), param(&mut value)];
    let (start, end) = (f.event(), f.event());
    // SAFETY: live handles, and parameters of the kernel's types.
    unsafe {
        ok(cuEventRecord(start, held));
        ok(cuLaunchKernel(
            f.function("fill"),
            4,
            1,
            1,
            32,
            1,
            1,
            0,
            held,
            params.as_mut_ptr(),
            null_mut(),
        ));
        call(end);
        ok(cuCtxSynchronize());
        let mut milliseconds = 0.0;
        ok(cuEventElapsedTime(&mut milliseconds, start, end));
        milliseconds > 0.0
    }
}

rows! {
    "cuGetProcAddress: an old version by its own CUDA version" (sim: "on a GPU the symbols are ours and the pointers NVIDIA's") => SUCCESS, |_| {
        let same = |name: &str, version, function: *const ()| found(name, version, 0).cast_const().cast() == function;
        holds(
            same("cuLinkCreate", 5050, cuLinkCreate as *const ())
                && same("cuLinkCreate", 6050, cuLinkCreate_v2 as *const ())
                && same("cuStreamBeginCapture", 10_000, cuStreamBeginCapture as *const ())
                && same("cuMemcpyBatchAsync", 12_080, cuMemcpyBatchAsync as *const ()),
        )
    };
    "cuGetProcAddress: the twin of a call where the thread's own stream is the default" => SUCCESS, |_| {
        let plain = found("cuLaunchKernel", 12_000, 0);
        let twin = found("cuLaunchKernel", 12_000, 2);
        holds(plain != twin && found("cuCtxGetCurrent", 12_000, 2) == found("cuCtxGetCurrent", 12_000, 0))
    };
    "cuCtxCreate: of CUDA 2" (sim: "an H200's driver answers OUT_OF_MEMORY") => SUCCESS, |_| {
        let mut context = CUcontext::default();
        ok(cuCtxCreate(&mut context, 0, 0));
        cuCtxDestroy_v2(context)
    };
    "cuCtxPopCurrent: of CUDA 2" => SUCCESS, |f| {
        let mut context = CUcontext::default();
        ok(cuCtxPopCurrent(&mut context));
        holds(context == f.context)
    };
    "cuCtxPushCurrent: of CUDA 2" (sim: "an H200's driver takes no context of `cuCtxCreate_v2`") => SUCCESS, |f| cuCtxPushCurrent(f.context);
    "cuCtxDestroy: of CUDA 2" => SUCCESS, |_| {
        let mut context = CUcontext::default();
        ok(cuCtxCreate_v2(&mut context, 0, 0));
        cuCtxDestroy(context)
    };
    "cuDevicePrimaryCtxRelease: of CUDA 7, not retained" (sim: "an H200's driver answers SUCCESS") => ERROR_INVALID_CONTEXT, |_| cuDevicePrimaryCtxRelease(0);
    "cuDevicePrimaryCtxSetFlags: of CUDA 7, flags that are none" => ERROR_INVALID_VALUE, |_| {
        cuDevicePrimaryCtxSetFlags(0, 0xffff)
    };
    "cuDevicePrimaryCtxReset: of CUDA 7" => SUCCESS, |_| cuDevicePrimaryCtxReset(0);
    "cuMemAllocHost: of CUDA 2" (sim: "an H200's driver answers INVALID_CONTEXT") => SUCCESS, |_| {
        let mut pointer = null_mut();
        ok(cuMemAllocHost(&mut pointer, 64));
        cuMemFreeHost(pointer)
    };
    "cuMemHostRegister: of CUDA 4, null" => ERROR_INVALID_VALUE, |_| cuMemHostRegister(null_mut(), 64, 0);
    "cuEventDestroy: of CUDA 2" => SUCCESS, |f| cuEventDestroy(f.event());
    "cuStreamDestroy: of CUDA 2" => SUCCESS, |f| cuStreamDestroy(f.stream());
    "cuLinkCreate: of CUDA 5.5" => SUCCESS, |_| {
        let mut state = CUlinkState::default();
        ok(cuLinkCreate(0, null_mut(), null_mut(), &mut state));
        cuLinkDestroy(state)
    };
    "cuLinkAddData: of CUDA 5.5, no data" => ERROR_INVALID_VALUE, |_| {
        let mut state = CUlinkState::default();
        ok(cuLinkCreate(0, null_mut(), null_mut(), &mut state));
        cuLinkAddData(state, 1, null_mut(), 0, null(), 0, null_mut(), null_mut())
    };
    "cuLinkAddFile: of CUDA 5.5, no such file" => ERROR_FILE_NOT_FOUND, |_| {
        let mut state = CUlinkState::default();
        ok(cuLinkCreate(0, null_mut(), null_mut(), &mut state));
        cuLinkAddFile(state, 1, c("/no/such/file.ptx"), 0, null_mut(), null_mut())
    };
    "cuStreamBeginCapture: of CUDA 10.0, in the global mode" (sim: "an H200's driver does not forbid the allocation") => SUCCESS, |f| {
        let (stream, mut graph) = (f.stream(), CUgraph::default());
        ok(cuStreamBeginCapture(stream));
        let refused = cuMemAlloc_v2(&mut 0, 16);
        let code = cuStreamEndCapture(stream, &mut graph);
        holds(refused == CUresult::ERROR_STREAM_CAPTURE_UNSUPPORTED && code != CUresult::SUCCESS)
    };
    "cuGraphAddNode: of CUDA 12.2, no parameters" => ERROR_INVALID_VALUE, |_| {
        let mut graph = CUgraph::default();
        ok(cuGraphCreate(&mut graph, 0));
        cuGraphAddNode(&mut CUgraphNode::default(), graph, null(), 0, null_mut())
    };
    "cuMemcpyBatchAsync_v2: two copies" (sim: "a GPU wants attributes for each copy") => SUCCESS, |f| {
        let (stream, from, to) = (f.stream(), f.device(), f.device());
        ok(cuMemsetD32_v2(from, 7, 100));
        ok(cuMemsetD32_v2(to, 0, 100));
        // The stream does not wait for the legacy one.
        ok(cuCtxSynchronize());
        let (mut dsts, mut srcs, mut sizes) = ([to, to + 8], [from, from + 8], [4usize, 4]);
        ok(cuMemcpyBatchAsync_v2(
            dsts.as_mut_ptr(), srcs.as_mut_ptr(), sizes.as_mut_ptr(), 2, null_mut(), null_mut(), 0, stream,
        ));
        ok(cuStreamSynchronize(stream));
        holds([f.word(to), f.word(to + 4), f.word(to + 8)] == [7, 0, 7])
    };
    "cuMemcpyBatchAsync: says which copy is wrong" (sim: "a GPU wants attributes for each copy") => SUCCESS, |f| {
        let (stream, to, mut failed) = (f.stream(), f.device(), 0);
        let (mut dsts, mut srcs, mut sizes) = ([to, to], [to + 8, to + 8], [4usize, 1 << 30]);
        let code = cuMemcpyBatchAsync(
            dsts.as_mut_ptr(), srcs.as_mut_ptr(), sizes.as_mut_ptr(), 2, null_mut(), null_mut(), 0, &mut failed, stream,
        );
        holds(code == CUresult::ERROR_INVALID_VALUE && failed == 1)
    };
    "cuMemAlloc: of CUDA 3.1, with 32-bit addresses" (sim: "a GPU's driver may have them") => ERROR_NOT_SUPPORTED, |_| {
        cuMemAlloc(&mut 0, 16)
    };
    "cuEventRecord: the null stream is the legacy one" => SUCCESS, |f| {
        holds(waits(f, CUstream::LEGACY, |event| ok(cuEventRecord(event, CUstream(0)))))
    };
    "cuEventRecord_ptsz: the null stream is the thread's own" => SUCCESS, |f| {
        holds(waits(f, CUstream::PER_THREAD, |event| ok(cuEventRecord_ptsz(event, CUstream(0)))))
    };
    "cuStreamGetId_ptsz: of the null stream" => SUCCESS, |_| {
        let (mut null, mut own, mut legacy) = (0, 0, 0);
        ok(cuStreamGetId_ptsz(CUstream(0), &mut null));
        ok(cuStreamGetId(CUstream::PER_THREAD, &mut own));
        ok(cuStreamGetId(CUstream::LEGACY, &mut legacy));
        holds(null == own && own != legacy)
    };
    "cuMemcpyHtoD_v2_ptds: copies" => SUCCESS, |f| {
        let (to, word) = (f.device(), 7u32);
        ok(cuMemcpyHtoD_v2_ptds(to, (&raw const word).cast(), 4));
        holds(f.word(to) == 7)
    };
}
