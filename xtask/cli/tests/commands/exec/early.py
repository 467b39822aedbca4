"""Copies into pinned memory and reads it, before or after it has waited for the copy: through CUDA's driver API by ctypes."""

import ctypes
import sys

WORDS = 4096
BYTES = ctypes.c_size_t(4 * WORDS)
cuda = ctypes.CDLL("libcuda.so")


def call(name, *arguments):
    code = getattr(cuda, name)(*arguments)
    if code != 0:
        sys.exit(f"{name} answered {code}")


device, context, stream, pinned = (ctypes.c_int(), ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p())
buffer = ctypes.c_uint64()
call("cuInit", 0)
call("cuDeviceGet", ctypes.byref(device), 0)
call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
call("cuCtxSetCurrent", context)
call("cuStreamCreate", ctypes.byref(stream), 1)
call("cuMemAlloc_v2", ctypes.byref(buffer), BYTES)
call("cuMemAllocHost_v2", ctypes.byref(pinned), BYTES)
words = (ctypes.c_uint32 * WORDS).from_address(pinned.value)
call("cuMemsetD32Async", buffer, 7, ctypes.c_size_t(WORDS), stream)
call("cuMemcpyDtoHAsync_v2", pinned, buffer, BYTES, stream)
if "wait" in sys.argv:
    call("cuStreamSynchronize", stream)
print(f"the last word is {words[WORDS - 1]}")
