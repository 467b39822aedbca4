//! Attributes of pointers, and advice about managed memory.

use crate::fixture::{BYTES, foreign, holds, ok, param};
use crate::rows;
use lanewise_driver::abi::enums::pointer_attribute as attribute;
use lanewise_driver::abi::*;
use lanewise_driver::api::*;
use std::ptr::null_mut;

const DEVICE: CUmemLocation = CUmemLocation { kind: 1, id: 0 };

rows! {
    "cuPointerGetAttribute: the type of device memory" => SUCCESS, |f| {
        let mut kind = 0u32;
        ok(cuPointerGetAttribute((&raw mut kind).cast(), attribute::MEMORY_TYPE, f.device() + 8));
        holds(kind == 2)
    };
    "cuPointerGetAttribute: the type of pinned memory" => SUCCESS, |f| {
        let mut kind = 0u32;
        ok(cuPointerGetAttribute((&raw mut kind).cast(), attribute::MEMORY_TYPE, f.pinned().addr() as u64));
        holds(kind == 1)
    };
    "cuPointerGetAttribute: the context" => SUCCESS, |f| {
        let mut context = CUcontext(0);
        ok(cuPointerGetAttribute((&raw mut context).cast(), attribute::CONTEXT, f.device()));
        holds(context == f.context)
    };
    "cuPointerGetAttribute: without a context" => SUCCESS, |f| {
        let (address, mut kind) = (f.device(), 0u32);
        ok(cuCtxPopCurrent_v2(null_mut()));
        ok(cuPointerGetAttribute((&raw mut kind).cast(), attribute::MEMORY_TYPE, address));
        holds(kind == 2)
    };
    "cuPointerGetAttribute: whether managed" => SUCCESS, |f| {
        let (mut managed, mut device) = (9u32, 9u32);
        ok(cuPointerGetAttribute((&raw mut managed).cast(), attribute::IS_MANAGED, f.managed()));
        ok(cuPointerGetAttribute((&raw mut device).cast(), attribute::IS_MANAGED, f.device()));
        holds((managed, device) == (1, 0))
    };
    "cuPointerGetAttribute: each boolean is four bytes" => SUCCESS, |f| {
        // What an H200's driver says of memory by cuMemAlloc, and of pinned memory.
        let all = [
            (attribute::SYNC_MEMOPS, [0, 0]),
            (attribute::IS_MANAGED, [0, 0]),
            (attribute::IS_LEGACY_CUDA_IPC_CAPABLE, [1, 0]),
            (attribute::MAPPED, [1, 1]),
            (attribute::IS_GPU_DIRECT_RDMA_CAPABLE, [1, 0]),
        ];
        for (which, expected) in all {
            for (pointer, expected) in [f.device(), f.pinned().addr() as u64].into_iter().zip(expected) {
                let mut data = [u32::MAX; 2];
                ok(cuPointerGetAttribute(data.as_mut_ptr().cast(), which, pointer));
                if data != [expected, u32::MAX] {
                    eprintln!("attribute {which} of {pointer:#x}: {data:x?}");
                    return holds(false);
                }
            }
        }
        holds(true)
    };
    "cuPointerGetAttribute: the range" => SUCCESS, |f| {
        let (address, mut start, mut size) = (f.device(), 0u64, 0usize);
        ok(cuPointerGetAttribute((&raw mut start).cast(), attribute::RANGE_START_ADDR, address + 8));
        ok(cuPointerGetAttribute((&raw mut size).cast(), attribute::RANGE_SIZE, address + 8));
        holds(start == address && size == BYTES)
    };
    "cuPointerGetAttribute: the host pointer of device memory" => ERROR_INVALID_VALUE, |f| {
        cuPointerGetAttribute(param(&mut 0u64), attribute::HOST_POINTER, f.device())
    };
    "cuPointerGetAttribute: of a foreign pointer" => ERROR_INVALID_VALUE, |_| {
        cuPointerGetAttribute(param(&mut 0u64), attribute::MEMORY_TYPE, foreign())
    };
    "cuPointerGetAttribute: none" => ERROR_INVALID_VALUE, |f| {
        cuPointerGetAttribute(param(&mut 0u64), 1000, f.device())
    };
    "cuPointerGetAttributes: several" => SUCCESS, |f| {
        let (mut kind, mut ordinal) = (0u32, 9i32);
        let mut which = [attribute::MEMORY_TYPE, attribute::DEVICE_ORDINAL];
        let mut data = [(&raw mut kind).cast(), (&raw mut ordinal).cast()];
        ok(cuPointerGetAttributes(2, which.as_mut_ptr(), data.as_mut_ptr(), f.device()));
        holds(kind == 2 && ordinal == 0)
    };
    "cuPointerGetAttributes: of a foreign pointer" => SUCCESS, |_| {
        let mut kind = 9u32;
        let mut data = [(&raw mut kind).cast()];
        ok(cuPointerGetAttributes(1, [attribute::MEMORY_TYPE].as_mut_ptr(), data.as_mut_ptr(), foreign()));
        holds(kind == 0)
    };
    "cuPointerGetAttributes: a foreign pointer has no range, and is its own host pointer" => SUCCESS, |_| {
        let (mut start, mut size, mut host) = (9u64, 9u64, 9u64);
        let mut which = [attribute::RANGE_START_ADDR, attribute::RANGE_SIZE, attribute::HOST_POINTER];
        let mut data = [(&raw mut start).cast(), (&raw mut size).cast(), (&raw mut host).cast()];
        ok(cuPointerGetAttributes(3, which.as_mut_ptr(), data.as_mut_ptr(), foreign()));
        holds((start, size, host) == (9, 9, foreign()))
    };
    "cuPointerGetAttributes: tokens" => ERROR_INVALID_VALUE, |f| {
        cuPointerGetAttributes(1, [attribute::P2P_TOKENS].as_mut_ptr(), [param(&mut 0u64)].as_mut_ptr(), f.device())
    };
    "cuPointerSetAttribute: synchronous memory operations" => SUCCESS, |f| {
        cuPointerSetAttribute(param(&mut 1u32), attribute::SYNC_MEMOPS, f.device())
    };
    "cuPointerSetAttribute: what was set is read back" => SUCCESS, |f| {
        let pointer = f.device();
        let read = || {
            let mut value = 9u32;
            ok(cuPointerGetAttribute((&raw mut value).cast(), attribute::SYNC_MEMOPS, pointer));
            value
        };
        let before = read();
        ok(cuPointerSetAttribute(param(&mut 1u32), attribute::SYNC_MEMOPS, pointer));
        let set = read();
        ok(cuPointerSetAttribute(param(&mut 0u32), attribute::SYNC_MEMOPS, pointer));
        holds((before, set, read()) == (0, 1, 0))
    };
    "cuPointerSetAttribute: one that is fixed" => ERROR_INVALID_VALUE, |f| {
        cuPointerSetAttribute(param(&mut 1u32), attribute::MEMORY_TYPE, f.device())
    };
    "cuMemPrefetchAsync: managed memory" => SUCCESS, |f| cuMemPrefetchAsync(f.managed(), BYTES, 0, f.stream());
    "cuMemPrefetchAsync: device memory" => ERROR_INVALID_VALUE, |f| cuMemPrefetchAsync(f.device(), BYTES, 0, f.stream());
    "cuMemPrefetchAsync: to no device" => ERROR_INVALID_DEVICE, |f| cuMemPrefetchAsync(f.managed(), BYTES, 99, f.stream());
    "cuMemPrefetchAsync_v2: managed memory" => SUCCESS, |f| cuMemPrefetchAsync_v2(f.managed(), BYTES, DEVICE, 0, f.stream());
    "cuMemAdvise: managed memory" => SUCCESS, |f| cuMemAdvise(f.managed(), BYTES, 1, 0);
    "cuMemAdvise: no advice" => ERROR_INVALID_VALUE, |f| cuMemAdvise(f.managed(), BYTES, 99, 0);
    "cuMemAdvise_v2: managed memory" => SUCCESS, |f| cuMemAdvise_v2(f.managed(), BYTES, 1, DEVICE);
    "cuStreamAttachMemAsync: managed memory" => SUCCESS, |f| cuStreamAttachMemAsync(f.stream(), f.managed(), 0, 4);
    "cuStreamAttachMemAsync: device memory" => ERROR_INVALID_VALUE, |f| cuStreamAttachMemAsync(f.stream(), f.device(), 0, 4);
    "cuPointerGetAttribute: to null" => ERROR_INVALID_VALUE, |f| {
        cuPointerGetAttribute(null_mut(), attribute::MEMORY_TYPE, f.device())
    };
}
