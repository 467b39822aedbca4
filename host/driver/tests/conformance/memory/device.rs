//! Device and managed memory.

use crate::fixture::{BYTES, foreign, holds, ok};
use crate::rows;
use lanewise_driver::abi::*;
use lanewise_driver::api::*;
use std::ptr::null_mut;

rows! {
    "cuMemGetInfo_v2: counts an allocation" => SUCCESS, |_| {
        let (mut before, mut after, mut total, mut address) = (0, 0, 0, 0);
        ok(cuMemGetInfo_v2(&mut before, &mut total));
        ok(cuMemAlloc_v2(&mut address, 64 << 20));
        ok(cuMemGetInfo_v2(&mut after, &mut total));
        ok(cuMemFree_v2(address));
        holds(before <= total && before - after >= 64 << 20)
    };
    "cuMemAlloc_v2: some bytes" => SUCCESS, |_| {
        let mut address = 0;
        ok(cuMemAlloc_v2(&mut address, 1000));
        holds(address != 0 && address % 256 == 0)
    };
    "cuMemAlloc_v2: no bytes" => ERROR_INVALID_VALUE, |_| cuMemAlloc_v2(&mut 0, 0);
    "cuMemAlloc_v2: more than there is" => ERROR_OUT_OF_MEMORY, |_| cuMemAlloc_v2(&mut 0, 1 << 50);
    "cuMemAlloc_v2: to null" => ERROR_INVALID_VALUE, |_| cuMemAlloc_v2(null_mut(), 16);
    "cuMemAlloc_v2: without a context" => ERROR_INVALID_CONTEXT, |_| {
        ok(cuCtxPopCurrent_v2(null_mut()));
        cuMemAlloc_v2(&mut 0, 16)
    };
    "cuMemFree_v2: once" => SUCCESS, |f| cuMemFree_v2(f.device());
    "cuMemFree_v2: null" => SUCCESS, |_| cuMemFree_v2(0);
    "cuMemFree_v2: twice" => ERROR_INVALID_VALUE, |f| {
        let address = f.device();
        ok(cuMemFree_v2(address));
        cuMemFree_v2(address)
    };
    "cuMemFree_v2: inside an allocation" => ERROR_INVALID_VALUE, |f| cuMemFree_v2(f.device() + 256);
    "cuMemFree_v2: a foreign pointer" => ERROR_INVALID_VALUE, |_| cuMemFree_v2(foreign());
    "cuMemFree_v2: pinned host memory" => ERROR_INVALID_VALUE, |f| cuMemFree_v2(f.pinned().addr() as u64);
    "cuMemAllocPitch_v2: rows" => SUCCESS, |_| {
        let (mut address, mut pitch) = (0, 0);
        ok(cuMemAllocPitch_v2(&mut address, &mut pitch, 100, 10, 4));
        holds(address != 0 && pitch >= 100 && pitch % 32 == 0)
    };
    "cuMemAllocPitch_v2: elements of three bytes" => ERROR_INVALID_VALUE, |_| cuMemAllocPitch_v2(&mut 0, &mut 0, 100, 10, 3);
    "cuMemAllocPitch_v2: no rows" => ERROR_INVALID_VALUE, |_| cuMemAllocPitch_v2(&mut 0, &mut 0, 100, 0, 4);
    "cuMemGetAddressRange_v2: from inside" => SUCCESS, |f| {
        let address = f.device();
        let (mut base, mut size) = (0, 0);
        ok(cuMemGetAddressRange_v2(&mut base, &mut size, address + 100));
        holds(base == address && size == BYTES)
    };
    "cuMemGetAddressRange_v2: of no allocation" => ERROR_NOT_FOUND, |_| cuMemGetAddressRange_v2(&mut 0, &mut 0, 0x1234);
    "cuMemAllocManaged: the host may touch it" => SUCCESS, |f| {
        let address = f.managed();
        ok(cuMemsetD32_v2(address, 5, 1));
        ok(cuCtxSynchronize());
        holds(*(address as *const u32) == 5)
    };
    "cuMemAllocManaged: no bytes" => ERROR_INVALID_VALUE, |_| cuMemAllocManaged(&mut 0, 0, 1);
    "cuMemAllocManaged: without flags" => ERROR_INVALID_VALUE, |_| cuMemAllocManaged(&mut 0, 16, 0);
    "cuMemAllocAsync: and free in order" => SUCCESS, |f| {
        let stream = f.stream();
        let mut address = 0;
        ok(cuMemAllocAsync(&mut address, BYTES, stream));
        ok(cuMemsetD8Async(address, 1, BYTES, stream));
        ok(cuMemFreeAsync(address, stream));
        cuStreamSynchronize(stream)
    };
    "cuMemAllocAsync: no bytes" => SUCCESS, |f| cuMemAllocAsync(&mut 0, 0, f.stream());
    "cuMemFreeAsync: what was freed" => ERROR_INVALID_VALUE, |f| {
        let stream = f.stream();
        let mut address = 0;
        ok(cuMemAllocAsync(&mut address, BYTES, stream));
        ok(cuMemFreeAsync(address, stream));
        cuMemFreeAsync(address, stream)
    };
    "cuMemFreeAsync: null" => SUCCESS, |f| cuMemFreeAsync(0, f.stream());
    "cuMemFree_v2: without a context" => SUCCESS, |f| {
        let address = f.device();
        ok(cuCtxPopCurrent_v2(null_mut()));
        cuMemFree_v2(address)
    };
    "cuMemFreeAsync: a foreign pointer" => ERROR_INVALID_VALUE, |f| cuMemFreeAsync(0x1234, f.stream());

    "cuMemsetD8_v2: bytes" => SUCCESS, |f| {
        let address = f.device();
        ok(cuMemsetD8_v2(address, 0xab, BYTES));
        holds(f.word(address) == 0xabab_abab && f.word(address + BYTES as u64 - 4) == 0xabab_abab)
    };
    "cuMemsetD16_v2: half words" => SUCCESS, |f| {
        let address = f.device();
        ok(cuMemsetD16_v2(address, 0xabcd, 2));
        holds(f.word(address) == 0xabcd_abcd)
    };
    "cuMemsetD32_v2: words" => SUCCESS, |f| {
        let address = f.device();
        ok(cuMemsetD32_v2(address, 0x1234_5678, 1));
        holds(f.word(address) == 0x1234_5678)
    };
    "cuMemsetD32_v2: an unaligned address" => ERROR_INVALID_VALUE, |f| cuMemsetD32_v2(f.device() + 2, 1, 1);
    "cuMemsetD16_v2: an unaligned address" => ERROR_INVALID_VALUE, |f| cuMemsetD16_v2(f.device() + 1, 1, 1);
    "cuMemsetD8_v2: no bytes" => SUCCESS, |f| cuMemsetD8_v2(f.device(), 1, 0);
    "cuMemsetD8_v2: past the end" => ERROR_INVALID_VALUE, |_| {
        // As large as the pages of a GPU, so that the end is the end there as well.
        let mut address = 0;
        ok(cuMemAlloc_v2(&mut address, 2 << 20));
        cuMemsetD8_v2(address, 1, (2 << 20) + 1)
    };
    "cuMemsetD8_v2: what was freed" => ERROR_INVALID_VALUE, |_| {
        let mut address = 0;
        ok(cuMemAlloc_v2(&mut address, 64 << 20));
        ok(cuMemFree_v2(address));
        cuMemsetD8_v2(address, 1, 1)
    };
    "cuMemsetD8_v2: null" => ERROR_INVALID_VALUE, |_| cuMemsetD8_v2(0, 1, 1);
    "cuMemsetD8Async: on a stream" => SUCCESS, |f| {
        let (address, stream) = (f.device(), f.stream());
        ok(cuMemsetD8Async(address, 7, 4, stream));
        ok(cuStreamSynchronize(stream));
        holds(f.word(address) == 0x0707_0707)
    };
    "cuMemsetD16Async: on a stream" => SUCCESS, |f| cuMemsetD16Async(f.device(), 7, 4, f.stream());
    "cuMemsetD32Async: on a stream" => SUCCESS, |f| cuMemsetD32Async(f.device(), 7, 4, f.stream());
    "cuMemsetD32Async: on no stream" (sim: "a GPU's driver looks through the handle") => ERROR_INVALID_HANDLE, |f| {
        cuMemsetD32Async(f.device(), 7, 4, CUstream(0xdead_beef))
    };
    "cuMemsetD2D8_v2: rows with a gap" => SUCCESS, |f| {
        let address = f.device();
        ok(cuMemsetD8_v2(address, 0, BYTES));
        ok(cuMemsetD2D8_v2(address, 64, 1, 4, 3));
        holds([0, 64, 128].iter().all(|&row| f.word(address + row) == 0x0101_0101 && f.word(address + row + 4) == 0))
    };
    "cuMemsetD2D16_v2: rows" => SUCCESS, |f| cuMemsetD2D16_v2(f.device(), 64, 1, 4, 3);
    "cuMemsetD2D32_v2: rows" => SUCCESS, |f| cuMemsetD2D32_v2(f.device(), 64, 1, 4, 3);
    "cuMemsetD2D32_v2: rows wider than the pitch" => ERROR_INVALID_VALUE, |f| cuMemsetD2D32_v2(f.device(), 64, 1, 17, 3);
    "cuMemsetD2D8Async: rows" => SUCCESS, |f| cuMemsetD2D8Async(f.device(), 64, 1, 4, 3, f.stream());
    "cuMemsetD2D16Async: rows" => SUCCESS, |f| cuMemsetD2D16Async(f.device(), 64, 1, 4, 3, f.stream());
    "cuMemsetD2D32Async: rows" => SUCCESS, |f| cuMemsetD2D32Async(f.device(), 64, 1, 4, 3, f.stream());
}
