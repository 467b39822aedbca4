//! Stream memory operations. Each call has two versions, which do the same.

use crate::fixture::{Fixture, holds, ok};
use crate::rows;
use lanewise_driver::abi::*;
use lanewise_driver::api::*;
use std::ptr::null_mut;

/// `CU_STREAM_WAIT_VALUE_GEQ`, `_EQ`, `_AND` and `_NOR`.
const GEQ: u32 = 0;
const EQ: u32 = 1;
const AND: u32 = 2;

type Wait = unsafe extern "C" fn(CUstream, CUdeviceptr, u32, u32) -> CUresult;
type Wide = unsafe extern "C" fn(CUstream, CUdeviceptr, u64, u32) -> CUresult;

/// The work after a stream's wait runs when another stream has written the value.
fn waits(f: &Fixture, wait: Wait, how: u32, before: u32, value: u32, written: u32) -> CUresult {
    let (waiter, writer, flag, out) = (f.stream(), f.stream(), f.device(), f.device());
    // SAFETY: live memory and streams.
    unsafe {
        ok(cuMemsetD32_v2(flag, before, 1));
        ok(cuMemsetD32_v2(out, 0, 1));
        ok(cuCtxSynchronize()); // a fill of device memory does not wait, nor do streams that do not block wait for it
        ok(wait(waiter, flag, value, how));
        ok(cuMemcpyDtoDAsync_v2(out, flag, 4, waiter));
        let waited = cuStreamQuery(waiter) == CUresult::ERROR_NOT_READY;
        ok(cuMemsetD32Async(flag, written, 1, writer));
        ok(cuStreamSynchronize(waiter));
        holds(waited && f.word(out) == written)
    }
}

fn writes(f: &Fixture, write: Wait) -> CUresult {
    let (stream, at) = (f.stream(), f.device());
    // SAFETY: live memory and a stream.
    unsafe {
        ok(write(stream, at + 4, 77, 0));
        ok(cuStreamSynchronize(stream));
    }
    holds(f.word(at + 4) == 77)
}

/// A wait after a write, both of 64 bits. The wait's condition already holds.
fn wide(f: &Fixture, write: Wide, wait: Wide) -> CUresult {
    let (stream, at) = (f.stream(), f.device());
    // SAFETY: live memory and a stream.
    unsafe {
        ok(write(stream, at, 0x1_0000_0002, 0));
        ok(wait(stream, at, 0x1_0000_0001, GEQ));
        ok(cuStreamSynchronize(stream));
    }
    holds(f.word(at) == 2 && f.word(at + 4) == 1)
}

/// A write and a wait as `CUstreamBatchMemOpParams`, which has six words of 64 bits.
fn batch(at: CUdeviceptr, first: u64) -> [[u64; 6]; 2] {
    [[first, at, 5, 0, 0, 0], [1, at, 5, EQ.into(), 0, 0]]
}

rows! {
    "cuStreamWaitValue32: at least" (sim: "an H200's driver answers NOT_SUPPORTED: CUDA 12 turned the first versions off") => SUCCESS, |f| waits(f, cuStreamWaitValue32, GEQ, 1, 5, 6);
    "cuStreamWaitValue32: a bit" (sim: "an H200's driver answers NOT_SUPPORTED: CUDA 12 turned the first versions off") => SUCCESS, |f| waits(f, cuStreamWaitValue32, AND, 1, 4, 12);
    "cuStreamWaitValue32_v2: equal" => SUCCESS, |f| waits(f, cuStreamWaitValue32_v2, EQ, 9, 5, 5);
    "cuStreamWaitValue32_v2: at least, around the end of numbers" => SUCCESS, |f| waits(f, cuStreamWaitValue32_v2, GEQ, u32::MAX - 1, 1, 2);
    "cuStreamWaitValue32_v2: misaligned" => ERROR_INVALID_VALUE, |f| cuStreamWaitValue32_v2(f.stream(), f.device() + 2, 0, GEQ);
    "cuStreamWaitValue32_v2: of null" => ERROR_INVALID_VALUE, |f| cuStreamWaitValue32_v2(f.stream(), 0, 0, GEQ);
    "cuStreamWriteValue32: a word" (sim: "an H200's driver answers NOT_SUPPORTED: CUDA 12 turned the first versions off") => SUCCESS, |f| writes(f, cuStreamWriteValue32);
    "cuStreamWriteValue32_v2: a word" => SUCCESS, |f| writes(f, cuStreamWriteValue32_v2);
    "cuStreamWriteValue32_v2: misaligned" => ERROR_INVALID_VALUE, |f| cuStreamWriteValue32_v2(f.stream(), f.device() + 1, 0, 0);
    "cuStreamWriteValue64: and a wait" (sim: "an H200's driver answers NOT_SUPPORTED: CUDA 12 turned the first versions off") => SUCCESS, |f| wide(f, cuStreamWriteValue64, cuStreamWaitValue64);
    "cuStreamWaitValue64: and a write" (sim: "an H200's driver answers NOT_SUPPORTED: CUDA 12 turned the first versions off") => SUCCESS, |f| wide(f, cuStreamWriteValue64, cuStreamWaitValue64);
    "cuStreamWriteValue64_v2: and a wait" => SUCCESS, |f| wide(f, cuStreamWriteValue64_v2, cuStreamWaitValue64_v2);
    "cuStreamWaitValue64_v2: misaligned" => ERROR_INVALID_VALUE, |f| cuStreamWaitValue64_v2(f.stream(), f.device() + 4, 0, GEQ);
    "cuStreamBatchMemOp: a write and a wait" (sim: "an H200's driver answers NOT_SUPPORTED: CUDA 12 turned the first versions off") => SUCCESS, |f| {
        let (stream, at) = (f.stream(), f.device());
        ok(cuStreamBatchMemOp(stream, 2, batch(at, 2).as_mut_ptr().cast(), 0));
        ok(cuStreamSynchronize(stream));
        holds(f.word(at) == 5)
    };
    "cuStreamBatchMemOp_v2: a write and a wait" => SUCCESS, |f| {
        let (stream, at) = (f.stream(), f.device());
        ok(cuStreamBatchMemOp_v2(stream, 2, batch(at, 2).as_mut_ptr().cast(), 0));
        ok(cuStreamSynchronize(stream));
        holds(f.word(at) == 5)
    };
    "cuStreamBatchMemOp_v2: no such operation" => ERROR_INVALID_VALUE, |f| {
        cuStreamBatchMemOp_v2(f.stream(), 2, batch(f.device(), 99).as_mut_ptr().cast(), 0)
    };
    "cuStreamBatchMemOp_v2: of null" (sim: "a GPU's driver looks through the pointer") => ERROR_INVALID_VALUE, |f| cuStreamBatchMemOp_v2(f.stream(), 2, null_mut(), 0);
}
