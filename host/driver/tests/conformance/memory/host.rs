//! Pinned host memory.

use crate::fixture::{BYTES, holds, ok};
use crate::rows;
use lanewise_driver::abi::*;
use lanewise_driver::api::*;
use std::ptr::null_mut;

/// Pages of the host's own memory, kept for the rest of the process.
fn pages() -> *mut c_void {
    let layout = std::alloc::Layout::from_size_align(BYTES, 4096).expect("a size and an alignment");
    // SAFETY: the size is not zero.
    unsafe { std::alloc::alloc_zeroed(layout).cast() }
}

rows! {
    "cuMemAllocHost_v2: some bytes" => SUCCESS, |_| {
        let mut pointer = null_mut();
        ok(cuMemAllocHost_v2(&mut pointer, BYTES));
        pointer.cast::<u8>().add(BYTES - 1).write(1);
        cuMemFreeHost(pointer)
    };
    "cuMemAllocHost_v2: no bytes" => SUCCESS, |_| cuMemAllocHost_v2(&mut null_mut(), 0);
    "cuMemAllocHost_v2: to null" => ERROR_INVALID_VALUE, |_| cuMemAllocHost_v2(null_mut(), 16);
    "cuMemHostAlloc: mapped" => SUCCESS, |_| {
        let (mut pointer, mut address, mut flags) = (null_mut(), 0, 0);
        ok(cuMemHostAlloc(&mut pointer, BYTES, 2));
        ok(cuMemHostGetDevicePointer_v2(&mut address, pointer, 0));
        ok(cuMemHostGetFlags(&mut flags, pointer));
        holds(address != 0 && flags & 2 != 0)
    };
    "cuMemHostAlloc: with flags that are none" => ERROR_INVALID_VALUE, |_| cuMemHostAlloc(&mut null_mut(), BYTES, 0x100);
    "cuMemFreeHost: twice" => ERROR_INVALID_VALUE, |f| {
        let pointer = f.pinned();
        ok(cuMemFreeHost(pointer));
        cuMemFreeHost(pointer)
    };
    "cuMemFreeHost: null" => SUCCESS, |_| cuMemFreeHost(null_mut());
    "cuMemFreeHost: pageable memory" => ERROR_INVALID_VALUE, |_| cuMemFreeHost(pages());
    "cuMemHostGetDevicePointer_v2: of pageable memory" => ERROR_INVALID_VALUE, |_| {
        cuMemHostGetDevicePointer_v2(&mut 0, pages(), 0)
    };
    "cuMemHostGetFlags: of pageable memory" => ERROR_INVALID_VALUE, |_| cuMemHostGetFlags(&mut 0, pages());
    "cuMemHostRegister_v2: pages" => SUCCESS, |_| {
        let (pages, mut address) = (pages(), 0);
        ok(cuMemHostRegister_v2(pages, BYTES, 0));
        ok(cuMemHostGetDevicePointer_v2(&mut address, pages, 0));
        ok(cuMemsetD32_v2(address, 3, 1));
        ok(cuCtxSynchronize());
        let value = pages.cast::<u32>().read();
        ok(cuMemHostUnregister(pages));
        holds(value == 3)
    };
    "cuMemHostRegister_v2: twice" => ERROR_HOST_MEMORY_ALREADY_REGISTERED, |_| {
        let pages = pages();
        ok(cuMemHostRegister_v2(pages, BYTES, 0));
        let code = cuMemHostRegister_v2(pages, BYTES, 0);
        ok(cuMemHostUnregister(pages));
        code
    };
    "cuMemHostRegister_v2: null" => ERROR_INVALID_VALUE, |_| cuMemHostRegister_v2(null_mut(), BYTES, 0);
    "cuMemHostRegister_v2: no bytes" => ERROR_INVALID_VALUE, |_| cuMemHostRegister_v2(pages(), 0, 0);
    "cuMemHostUnregister: what was not registered" => ERROR_HOST_MEMORY_NOT_REGISTERED, |_| cuMemHostUnregister(pages());
}
