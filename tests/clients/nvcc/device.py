"""A device through the driver API: enough of it to load a module, launch kernels and read what they wrote."""

import ctypes

import numpy as np

_cuda = ctypes.CDLL("libcuda.so.1")


def _call(name, *arguments):
    code = getattr(_cuda, name)(*arguments)
    if code:
        text = ctypes.c_char_p()
        _cuda.cuGetErrorName(code, ctypes.byref(text))
        raise RuntimeError(f"{name}: {text.value.decode() if text.value else code}")


class Buffer:
    """Device memory with the contents of an array."""

    def __init__(self, array):
        self.array = np.ascontiguousarray(array)
        self.address = ctypes.c_uint64()
        _call("cuMemAlloc_v2", ctypes.byref(self.address), ctypes.c_size_t(max(self.array.nbytes, 1)))
        _call("cuMemcpyHtoD_v2", self.address, self.array.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(self.array.nbytes))

    def read(self):
        out = np.empty_like(self.array)
        _call("cuMemcpyDtoH_v2", out.ctypes.data_as(ctypes.c_void_p), self.address, ctypes.c_size_t(out.nbytes))
        return out

    def __del__(self):
        _cuda.cuMemFree_v2(self.address)


class Module:
    """A module on device 0. Kernels are found by their name, or by the start of a mangled one."""

    def __init__(self, ptx):
        _call("cuInit", 0)
        context, self.handle = ctypes.c_void_p(), ctypes.c_void_p()
        _call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
        _call("cuCtxSetCurrent", context)
        _call("cuModuleLoadData", ctypes.byref(self.handle), ctypes.c_char_p(ptx))
        self.ptx = ptx
        self.names = [line.split("(")[0].split()[-1] for line in ptx.decode().splitlines() if ".entry" in line]

    def reset(self):
        """Ends the context, after a fault, with all that is in it."""
        _call("cuDevicePrimaryCtxReset_v2", 0)

    def symbol(self, name, array):
        """Writes an array to a variable."""
        array = np.ascontiguousarray(array)
        address, size = ctypes.c_uint64(), ctypes.c_size_t()
        _call("cuModuleGetGlobal_v2", ctypes.byref(address), ctypes.byref(size), self.handle, name.encode())
        _call("cuMemcpyHtoD_v2", address, array.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(array.nbytes))

    def launch(self, name, grid, block, *arguments, shared=0, cooperative=False):
        """Launches and waits. Arrays go in and out by reference, numpy scalars and bytes by value. In a cooperative launch
        all blocks run at once and may wait for each other."""
        function = ctypes.c_void_p()
        found = [known for known in self.names if known == name or known.startswith(name)]
        _call("cuModuleGetFunction", ctypes.byref(function), self.handle, (found or [name])[0].encode())
        buffers = [Buffer(a) if isinstance(a, np.ndarray) else None for a in arguments]
        values = [
            buffer.address if buffer else ctypes.create_string_buffer(_bytes(argument))
            for argument, buffer in zip(arguments, buffers)
        ]
        pointers = (ctypes.c_void_p * max(len(values), 1))(*[ctypes.addressof(value) for value in values])
        shape = [ctypes.c_uint(n) for n in (*_three(grid), *_three(block), shared)]
        if cooperative:
            _call("cuLaunchCooperativeKernel", function, *shape, None, pointers)
        else:
            _call("cuLaunchKernel", function, *shape, None, pointers, None)
        _call("cuCtxSynchronize")
        for argument, buffer in zip(arguments, buffers):
            if buffer:
                argument[...] = buffer.read()


def _bytes(value):
    return value if isinstance(value, bytes) else value.tobytes()


def _three(size):
    return (*((size,) if isinstance(size, int) else size), 1, 1)[:3]
