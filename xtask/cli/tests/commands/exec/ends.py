"""Initialises CUDA's driver API by ctypes and ends in the way that it is told to."""

import ctypes
import os
import signal
import sys

cuda = ctypes.CDLL("libcuda.so.1")
how = sys.argv[1]
if how == "fork before":
    child = os.fork()
    print(f"{'child' if child == 0 else 'parent'} {cuda.cuInit(0)}", flush=True)
    if child != 0:
        os.waitpid(child, 0)
    sys.exit(0)
assert cuda.cuInit(0) == 0
if how == "fork":
    child = os.fork()
    if child == 0:
        count = ctypes.c_int()
        print(f"child {cuda.cuInit(0)} {cuda.cuDeviceGetCount(ctypes.byref(count))}", flush=True)
        sys.exit(0)
    os.waitpid(child, 0)
    sys.exit(5)
if how == "_exit":
    os._exit(7)
os.kill(os.getpid(), signal.Signals[how])
