"""Counts threads with a kernel that races, through CUDA's driver API by ctypes: a program that knows nothing of Lanewise."""

import ctypes
import sys

PTX = b"""
.version 8.0
.target sm_80
.address_size 64
.visible .entry count(.param .u64 total)
{
    .reg .b32 %r<3>;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [total];
    cvta.to.global.u64 %rd2, %rd1;
    ld.global.u32 %r1, [%rd2];
    add.u32 %r2, %r1, 1;
    st.global.u32 [%rd2], %r2;
    ret;
}
"""

cuda = ctypes.CDLL("libcuda.so")


def call(name, *arguments):
    code = getattr(cuda, name)(*arguments)
    if code != 0:
        sys.exit(f"{name} answered {code}")


device, context, module, function = (ctypes.c_int(), ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p())
total, answer = ctypes.c_uint64(), ctypes.c_uint32()
call("cuInit", 0)
call("cuDeviceGet", ctypes.byref(device), 0)
name = ctypes.create_string_buffer(64)
call("cuDeviceGetName", name, 64, device)
call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
call("cuCtxSetCurrent", context)
call("cuModuleLoadData", ctypes.byref(module), PTX)
call("cuModuleGetFunction", ctypes.byref(function), module, b"count")
call("cuMemAlloc_v2", ctypes.byref(total), ctypes.c_size_t(4))
call("cuMemsetD32_v2", total, 0, ctypes.c_size_t(1))
parameters = (ctypes.c_void_p * 1)(ctypes.cast(ctypes.byref(total), ctypes.c_void_p))
call("cuLaunchKernel", function, 1, 1, 1, 64, 1, 1, 0, None, parameters, None)
call("cuCtxSynchronize")
call("cuMemcpyDtoH_v2", ctypes.byref(answer), total, ctypes.c_size_t(4))
print(f"{name.value.decode()}: counted {answer.value} of 64 threads")
sys.exit(3 if "fail" in sys.argv else 0)
