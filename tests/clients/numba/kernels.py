"""numba-cuda, unmodified, on Lanewise's driver: what its manual's first chapters do.

Run with LD_LIBRARY_PATH=target/driver; `tests/clients/numba/run` does that, with the versions it pins. Each function is one claim
and compares with NumPy. Source: numba-cuda's documentation, "Writing CUDA kernels" and "Memory management".
"""

import warnings

import numpy as np
from numba import cuda, float32

# Without nvJitLink, whose output is machine code for a GPU, numba-cuda links by the driver, and says so.
warnings.filterwarnings("ignore", message=".*nvjitlink is not available.*")


@cuda.jit
def add(a, b, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] + b[i]


@cuda.jit
def block_sums(values, sums):
    shared = cuda.shared.array(128, dtype=float32)
    thread = cuda.threadIdx.x
    i = cuda.grid(1)
    shared[thread] = values[i] if i < values.size else float32(0)
    cuda.syncthreads()
    stride = 64
    while stride > 0:
        if thread < stride:
            shared[thread] += shared[thread + stride]
        cuda.syncthreads()
        stride //= 2
    if thread == 0:
        sums[cuda.blockIdx.x] = shared[0]


@cuda.jit
def histogram(values, bins, largest):
    i = cuda.grid(1)
    if i < values.size:
        cuda.atomic.add(bins, values[i], 1)
        cuda.atomic.max(largest, 0, values[i])


@cuda.jit
def scale(values, factor):
    i = cuda.grid(1)
    if i < values.size:
        values[i] *= factor


def detects_a_device():
    assert cuda.detect()


def adds_vectors():
    for n in (1, 255, 100_003):
        a = np.arange(n, dtype=np.float32)
        out = np.zeros_like(a)
        add[(n + 255) // 256, 256](a, 2 * a, out)
        np.testing.assert_array_equal(out, 3 * a)


def reduces_in_shared_memory():
    # Small whole numbers, so that every order of summation gives the same float.
    values = np.random.default_rng(1).integers(0, 8, 10_001).astype(np.float32)
    sums = np.zeros((values.size + 127) // 128, dtype=np.float32)
    block_sums[sums.size, 128](values, sums)
    assert sums.sum() == values.sum()


def counts_with_atomics():
    values = np.random.default_rng(2).integers(0, 16, 5_000).astype(np.int32)
    bins, largest = np.zeros(16, dtype=np.int32), np.zeros(1, dtype=np.int32)
    histogram[40, 128](values, bins, largest)
    np.testing.assert_array_equal(bins, np.bincount(values, minlength=16))
    assert largest[0] == values.max()


def keeps_the_order_of_a_stream():
    stream = cuda.stream()
    start, end = cuda.event(), cuda.event()
    values = cuda.pinned_array(4096, dtype=np.float32)
    values[:] = np.arange(4096)
    start.record(stream)
    on_device = cuda.to_device(values, stream=stream)
    for factor in (2, 3, 5):
        scale[16, 256, stream](on_device, factor)
    back = on_device.copy_to_host(stream=stream)
    end.record(stream)
    stream.synchronize()
    np.testing.assert_array_equal(back, 30 * np.arange(4096, dtype=np.float32))
    assert cuda.event_elapsed_time(start, end) > 0


for claim in (
    detects_a_device,
    adds_vectors,
    reduces_in_shared_memory,
    counts_with_atomics,
    keeps_the_order_of_a_stream,
):
    claim()
    print(f"numba-cuda: {claim.__name__}", flush=True)
