//! Contexts and primary contexts.

use crate::fixture::{holds, ok};
use crate::rows;
use lanewise_driver::abi::enums::limit;
use lanewise_driver::abi::*;
use lanewise_driver::api::*;
use std::ptr::null_mut;

const NO_CONTEXT: CUcontext = CUcontext(0);

rows! {
    "cuCtxCreate_v2: on no device" => ERROR_INVALID_DEVICE, |_| cuCtxCreate_v2(&mut CUcontext::default(), 0, 99);
    "cuCtxCreate_v2: to null" => ERROR_INVALID_VALUE, |_| cuCtxCreate_v2(null_mut(), 0, 0);
    "cuCtxCreate_v2: with flags that are none" => ERROR_INVALID_VALUE, |_| cuCtxCreate_v2(&mut CUcontext::default(), 0x1000, 0);
    "cuCtxCreate_v3: without affinity" => SUCCESS, |_| {
        let mut context = CUcontext::default();
        ok(cuCtxCreate_v3(&mut context, null_mut(), 0, 0, 0));
        cuCtxDestroy_v2(context)
    };
    "cuCtxCreate_v4: without parameters" => SUCCESS, |_| {
        let mut context = CUcontext::default();
        ok(cuCtxCreate_v4(&mut context, null_mut(), 0, 0));
        cuCtxDestroy_v2(context)
    };
    "cuCtxDestroy_v2: the current one is popped" => SUCCESS, |f| {
        ok(cuCtxDestroy_v2(f.context));
        let mut current = f.context;
        ok(cuCtxGetCurrent(&mut current));
        holds(current == NO_CONTEXT)
    };
    "cuCtxDestroy_v2: twice" (sim: "a GPU's driver looks through the handle") => ERROR_INVALID_CONTEXT, |f| {
        ok(cuCtxDestroy_v2(f.context));
        cuCtxDestroy_v2(f.context)
    };
    "cuCtxDestroy_v2: null" => ERROR_INVALID_VALUE, |_| cuCtxDestroy_v2(NO_CONTEXT);
    "cuCtxDestroy_v2: garbage" (sim: "a GPU's driver looks through the handle") => ERROR_INVALID_CONTEXT, |_| {
        cuCtxDestroy_v2(CUcontext(0xdead_beef))
    };
    "cuCtxSynchronize: after its context was destroyed by another thread" => ERROR_CONTEXT_IS_DESTROYED, |f| {
        let context = f.context;
        std::thread::spawn(move || ok(cuCtxDestroy_v2(context))).join().expect("the other thread lives");
        cuCtxSynchronize()
    };
    "cuCtxPushCurrent_v2: the same twice" => SUCCESS, |f| {
        ok(cuCtxPushCurrent_v2(f.context));
        cuCtxPopCurrent_v2(null_mut())
    };
    "cuCtxPushCurrent_v2: null" => ERROR_INVALID_VALUE, |_| cuCtxPushCurrent_v2(NO_CONTEXT);
    "cuCtxPopCurrent_v2: gives what was current" => SUCCESS, |f| {
        let mut popped = NO_CONTEXT;
        ok(cuCtxPopCurrent_v2(&mut popped));
        holds(popped == f.context)
    };
    "cuCtxPopCurrent_v2: from an empty stack" => ERROR_INVALID_CONTEXT, |_| {
        ok(cuCtxPopCurrent_v2(null_mut()));
        cuCtxPopCurrent_v2(null_mut())
    };
    "cuCtxSetCurrent: null" => SUCCESS, |f| {
        ok(cuCtxSetCurrent(NO_CONTEXT));
        let mut current = f.context;
        ok(cuCtxGetCurrent(&mut current));
        holds(current == NO_CONTEXT)
    };
    "cuCtxSetCurrent: replaces the top" => SUCCESS, |f| {
        let mut other = NO_CONTEXT;
        ok(cuCtxCreate_v2(&mut other, 0, 0));
        ok(cuCtxSetCurrent(f.context));
        ok(cuCtxPopCurrent_v2(null_mut()));
        let mut current = NO_CONTEXT;
        ok(cuCtxGetCurrent(&mut current));
        ok(cuCtxDestroy_v2(other));
        holds(current == f.context)
    };
    "cuCtxGetCurrent: to null" => ERROR_INVALID_VALUE, |_| cuCtxGetCurrent(null_mut());
    "cuCtxGetDevice: of the current one" => SUCCESS, |_| {
        let mut device = -1;
        ok(cuCtxGetDevice(&mut device));
        holds(device == 0)
    };
    "cuCtxGetDevice: without one" => ERROR_INVALID_CONTEXT, |_| {
        ok(cuCtxPopCurrent_v2(null_mut()));
        cuCtxGetDevice(&mut 0)
    };
    "cuCtxGetDevice_v2: of a context" (sim: "drivers before CUDA 13 do not have it") => SUCCESS, |f| cuCtxGetDevice_v2(&mut -1, f.context);
    "cuCtxGetFlags: as made" => SUCCESS, |_| {
        let mut context = NO_CONTEXT;
        ok(cuCtxCreate_v2(&mut context, 4, 0));
        let mut flags = 0;
        ok(cuCtxGetFlags(&mut flags));
        ok(cuCtxDestroy_v2(context));
        holds(flags & 7 == 4)
    };
    "cuCtxSetFlags: another way to wait" => SUCCESS, |_| {
        ok(cuCtxSetFlags(2));
        let mut flags = 0;
        ok(cuCtxGetFlags(&mut flags));
        holds(flags & 7 == 2)
    };
    "cuCtxGetId: of the current one" => SUCCESS, |_| cuCtxGetId(NO_CONTEXT, &mut 0);
    "cuCtxSynchronize: with nothing to do" => SUCCESS, |_| cuCtxSynchronize();
    "cuCtxSynchronize: without a context" => ERROR_INVALID_CONTEXT, |_| {
        ok(cuCtxPopCurrent_v2(null_mut()));
        cuCtxSynchronize()
    };
    "cuCtxSynchronize_v2: of a context" (sim: "drivers before CUDA 13 do not have it") => SUCCESS, |f| cuCtxSynchronize_v2(f.context);
    "cuCtxSetLimit: the stack" => SUCCESS, |_| {
        ok(cuCtxSetLimit(limit::STACK_SIZE, 4096));
        let mut value = 0;
        ok(cuCtxGetLimit(&mut value, limit::STACK_SIZE));
        holds(value == 4096)
    };
    "cuCtxSetLimit: the heap" => SUCCESS, |_| {
        ok(cuCtxSetLimit(limit::MALLOC_HEAP_SIZE, 32 << 20));
        let mut value = 0;
        ok(cuCtxGetLimit(&mut value, limit::MALLOC_HEAP_SIZE));
        holds(value >= 32 << 20)
    };
    "cuCtxSetLimit: none" => ERROR_INVALID_VALUE, |_| cuCtxSetLimit(1000, 1);
    "cuCtxGetLimit: none" => ERROR_INVALID_VALUE, |_| cuCtxGetLimit(&mut 0, 1000);
    "cuCtxGetLimit: to null" => ERROR_INVALID_VALUE, |_| cuCtxGetLimit(null_mut(), limit::STACK_SIZE);
    "cuCtxSetCacheConfig: and get" => SUCCESS, |_| {
        ok(cuCtxSetCacheConfig(1));
        let mut config = 0;
        ok(cuCtxGetCacheConfig(&mut config));
        holds(config == 1)
    };
    "cuCtxSetCacheConfig: none" => ERROR_INVALID_VALUE, |_| cuCtxSetCacheConfig(99);
    "cuCtxGetCacheConfig: to null" => ERROR_INVALID_VALUE, |_| cuCtxGetCacheConfig(null_mut());
    "cuCtxSetSharedMemConfig: four bytes" => SUCCESS, |_| {
        ok(cuCtxSetSharedMemConfig(1));
        let mut config = 0;
        ok(cuCtxGetSharedMemConfig(&mut config));
        holds(config == 1)
    };
    "cuCtxSetSharedMemConfig: none" => ERROR_INVALID_VALUE, |_| cuCtxSetSharedMemConfig(99);
    "cuCtxGetSharedMemConfig: to null" => ERROR_INVALID_VALUE, |_| cuCtxGetSharedMemConfig(null_mut());
    "cuCtxGetApiVersion: of the current one" => SUCCESS, |_| {
        let mut version = 0;
        ok(cuCtxGetApiVersion(NO_CONTEXT, &mut version));
        holds(version >= 3020)
    };
    "cuCtxGetStreamPriorityRange: of the current one" => SUCCESS, |_| {
        let (mut least, mut greatest) = (9, 9);
        ok(cuCtxGetStreamPriorityRange(&mut least, &mut greatest));
        holds(least == 0 && greatest <= 0)
    };
    "cuCtxResetPersistingL2Cache: once" => SUCCESS, |_| cuCtxResetPersistingL2Cache();
    "cuCtxAttach: and detach" => SUCCESS, |f| {
        let mut context = NO_CONTEXT;
        ok(cuCtxAttach(&mut context, 0));
        ok(cuCtxDetach(context));
        holds(context == f.context && cuCtxSynchronize() == CUresult::SUCCESS)
    };
    "cuCtxDetach: null" => ERROR_INVALID_CONTEXT, |_| cuCtxDetach(NO_CONTEXT);

    "cuDevicePrimaryCtxRetain: gives one context" => SUCCESS, |_| {
        let (mut a, mut b) = (NO_CONTEXT, NO_CONTEXT);
        ok(cuDevicePrimaryCtxRetain(&mut a, 0));
        ok(cuDevicePrimaryCtxRetain(&mut b, 0));
        ok(cuDevicePrimaryCtxRelease_v2(0));
        ok(cuDevicePrimaryCtxRelease_v2(0));
        holds(a == b && a != NO_CONTEXT)
    };
    "cuDevicePrimaryCtxRetain: of no device" => ERROR_INVALID_DEVICE, |_| cuDevicePrimaryCtxRetain(&mut CUcontext::default(), 99);
    "cuDevicePrimaryCtxRelease_v2: that is not retained" => ERROR_INVALID_CONTEXT, |_| cuDevicePrimaryCtxRelease_v2(0);
    "cuDevicePrimaryCtxGetState: while retained" => SUCCESS, |_| {
        let (mut flags, mut active) = (9, 9);
        ok(cuDevicePrimaryCtxRetain(&mut CUcontext::default(), 0));
        ok(cuDevicePrimaryCtxGetState(0, &mut flags, &mut active));
        ok(cuDevicePrimaryCtxRelease_v2(0));
        holds(active == 1)
    };
    "cuDevicePrimaryCtxSetFlags_v2: with flags that are none" => ERROR_INVALID_VALUE, |_| cuDevicePrimaryCtxSetFlags_v2(0, 0x1000);
    "cuDevicePrimaryCtxReset_v2: while retained" => SUCCESS, |_| {
        ok(cuDevicePrimaryCtxRetain(&mut CUcontext::default(), 0));
        ok(cuDevicePrimaryCtxReset_v2(0));
        let (mut flags, mut active) = (9, 9);
        ok(cuDevicePrimaryCtxGetState(0, &mut flags, &mut active));
        holds(active == 0)
    };
    "cuCtxDestroy_v2: a primary one" => ERROR_INVALID_CONTEXT, |_| {
        let mut primary = NO_CONTEXT;
        ok(cuDevicePrimaryCtxRetain(&mut primary, 0));
        let code = cuCtxDestroy_v2(primary);
        ok(cuDevicePrimaryCtxRelease_v2(0));
        code
    };
}
