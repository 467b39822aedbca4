//! Errors, versions and devices.

use crate::fixture::{c, holds, ok};
use crate::rows;
use lanewise_driver::abi::*;
use lanewise_driver::api::*;
use std::ffi::CStr;
use std::ptr::null_mut;

rows! {
    "cuGetErrorName: of a code" => SUCCESS, |_| {
        let mut name = std::ptr::null();
        ok(cuGetErrorName(CUresult::ERROR_ILLEGAL_ADDRESS, &mut name));
        holds(CStr::from_ptr(name) == c"CUDA_ERROR_ILLEGAL_ADDRESS")
    };
    "cuGetErrorName: of no code" => ERROR_INVALID_VALUE, |_| cuGetErrorName(CUresult(12_345), &mut std::ptr::null());
    "cuGetErrorString: of a code" => SUCCESS, |_| {
        let mut text = std::ptr::null();
        ok(cuGetErrorString(CUresult::ERROR_INVALID_VALUE, &mut text));
        holds(CStr::from_ptr(text) == c"invalid argument")
    };
    "cuGetErrorString: of no code" => ERROR_INVALID_VALUE, |_| cuGetErrorString(CUresult(12_345), &mut std::ptr::null());
    "cuInit: again" => SUCCESS, |_| cuInit(0);
    "cuInit: with flags" => ERROR_INVALID_VALUE, |_| cuInit(1);
    "cuDriverGetVersion: to a variable" => SUCCESS, |_| {
        let mut version = 0;
        ok(cuDriverGetVersion(&mut version));
        holds(version >= 12_000)
    };
    "cuDriverGetVersion: to null" => ERROR_INVALID_VALUE, |_| cuDriverGetVersion(null_mut());
    "cuDeviceGetCount: to a variable" => SUCCESS, |_| {
        let mut count = 0;
        ok(cuDeviceGetCount(&mut count));
        holds(count >= 1)
    };
    "cuDeviceGetCount: to null" => ERROR_INVALID_VALUE, |_| cuDeviceGetCount(null_mut());
    "cuDeviceGet: the first" => SUCCESS, |_| cuDeviceGet(&mut 0, 0);
    "cuDeviceGet: one that is not there" => ERROR_INVALID_DEVICE, |_| cuDeviceGet(&mut 0, 99);
    "cuDeviceGet: below zero" => ERROR_INVALID_DEVICE, |_| cuDeviceGet(&mut 0, -1);
    "cuDeviceGetName: whole" => SUCCESS, |_| {
        let mut name = [1 as c_char; 256];
        ok(cuDeviceGetName(name.as_mut_ptr(), 256, 0));
        holds(!CStr::from_ptr(name.as_ptr()).is_empty())
    };
    "cuDeviceGetName: cut to the buffer" => SUCCESS, |_| {
        let mut name = [1 as c_char; 4];
        ok(cuDeviceGetName(name.as_mut_ptr(), 4, 0));
        holds(name[3] == 0 && name[2] != 0)
    };
    "cuDeviceGetName: of no device" => ERROR_INVALID_DEVICE, |_| cuDeviceGetName([0; 8].as_mut_ptr(), 8, 99);
    "cuDeviceGetUuid: of a device" => SUCCESS, |_| cuDeviceGetUuid(&mut CUuuid { bytes: [0; 16] }, 0);
    "cuDeviceGetUuid_v2: of a device" => SUCCESS, |_| cuDeviceGetUuid_v2(&mut CUuuid { bytes: [0; 16] }, 0);
    "cuDeviceTotalMem_v2: of a device" => SUCCESS, |_| {
        let mut bytes = 0;
        ok(cuDeviceTotalMem_v2(&mut bytes, 0));
        holds(bytes > 1 << 28)
    };
    "cuDeviceGetAttribute: threads of a block" => SUCCESS, |f| holds(f.attribute(1) == 1024);
    "cuDeviceGetAttribute: every one of CUDA 12.0" => SUCCESS, |_| {
        holds((1..=120).all(|which| cuDeviceGetAttribute(&mut 0, which, 0) == CUresult::SUCCESS))
    };
    "cuDeviceGetAttribute: none" => ERROR_INVALID_VALUE, |_| cuDeviceGetAttribute(&mut 0, 100_000, 0);
    "cuDeviceGetAttribute: of no device" => ERROR_INVALID_DEVICE, |_| cuDeviceGetAttribute(&mut 0, 1, 99);
    "cuDeviceGetTexture1DLinearMaxWidth: of floats" => SUCCESS, |_| {
        cuDeviceGetTexture1DLinearMaxWidth(&mut 0, 0x20, 1, 0)
    };
    "cuDeviceGetProperties: of a device" => SUCCESS, |f| {
        let mut properties: CUdevprop = std::mem::zeroed();
        ok(cuDeviceGetProperties(&mut properties, 0));
        holds(properties.max_threads_per_block == 1024 && properties.simd_width == 32 && properties.clock_rate == f.attribute(13))
    };
    "cuDeviceComputeCapability: of a device" => SUCCESS, |f| {
        let (mut major, mut minor) = (0, 0);
        ok(cuDeviceComputeCapability(&mut major, &mut minor, 0));
        holds((major, minor) == (f.attribute(75), f.attribute(76)))
    };
    "cuDeviceGetPCIBusId: and back" => SUCCESS, |_| {
        let mut address = [0 as c_char; 32];
        ok(cuDeviceGetPCIBusId(address.as_mut_ptr(), 32, 0));
        let mut device = -1;
        ok(cuDeviceGetByPCIBusId(&mut device, address.as_ptr()));
        holds(device == 0)
    };
    "cuDeviceGetByPCIBusId: of no device" => ERROR_INVALID_DEVICE, |_| cuDeviceGetByPCIBusId(&mut 0, c("00ff:ff:1f.0"));
    "cuDeviceGetExecAffinitySupport: of multiprocessors" => SUCCESS, |_| cuDeviceGetExecAffinitySupport(&mut 0, 0, 0);
    "cuDeviceGetDefaultMemPool: and set it" => SUCCESS, |_| {
        let (mut default, mut current) = (CUmemoryPool::default(), CUmemoryPool::default());
        ok(cuDeviceGetDefaultMemPool(&mut default, 0));
        ok(cuDeviceGetMemPool(&mut current, 0));
        ok(cuDeviceSetMemPool(0, default));
        holds(default == current)
    };
    "cuDeviceGetMemPool: of no device" => ERROR_INVALID_VALUE, |_| cuDeviceGetMemPool(&mut CUmemoryPool::default(), 99);
    "cuDeviceSetMemPool: no pool" (sim: "a GPU's driver looks through the handle") => ERROR_INVALID_VALUE, |_| {
        cuDeviceSetMemPool(0, CUmemoryPool(0xdead_beef))
    };
    "cuDeviceCanAccessPeer: of itself" => SUCCESS, |_| {
        let mut can = 1;
        ok(cuDeviceCanAccessPeer(&mut can, 0, 0));
        holds(can == 0)
    };
    "cuDeviceGetP2PAttribute: of itself" => ERROR_INVALID_DEVICE, |_| cuDeviceGetP2PAttribute(&mut 0, 2, 0, 0);
    "cuCtxEnablePeerAccess: to its own device" => ERROR_PEER_ACCESS_UNSUPPORTED, |f| {
        let mut other = CUcontext::default();
        ok(cuCtxCreate_v2(&mut other, 0, 0));
        ok(cuCtxPopCurrent_v2(null_mut()));
        let code = cuCtxEnablePeerAccess(other, 0);
        ok(cuCtxDestroy_v2(other));
        let _ = f;
        code
    };
    "cuCtxDisablePeerAccess: that was not enabled" => ERROR_PEER_ACCESS_NOT_ENABLED, |_| {
        let mut other = CUcontext::default();
        ok(cuCtxCreate_v2(&mut other, 0, 0));
        ok(cuCtxPopCurrent_v2(null_mut()));
        let code = cuCtxDisablePeerAccess(other);
        ok(cuCtxDestroy_v2(other));
        code
    };
    "cuGetProcAddress: of a call" => SUCCESS, |_| {
        let mut address = null_mut();
        ok(cuGetProcAddress(c("cuMemAlloc"), &mut address, 12_000, 0));
        holds(!address.is_null())
    };
    "cuGetProcAddress: of no call" => ERROR_NOT_FOUND, |_| cuGetProcAddress(c("cuTeleport"), &mut null_mut(), 12_000, 0);
    "cuGetProcAddress_v2: of no call, with a status" => SUCCESS, |_| {
        let (mut address, mut status) = (null_mut(), 9);
        let code = cuGetProcAddress_v2(c("cuTeleport"), &mut address, 12_000, 0, &mut status);
        if code != CUresult::SUCCESS { return code }
        holds(address.is_null() && status == 1)
    };
    "cuProfilerStart: and stop" => SUCCESS, |_| {
        ok(cuProfilerStart());
        cuProfilerStop()
    };
    "cuProfilerStop: without a start" => SUCCESS, |_| cuProfilerStop();
}
