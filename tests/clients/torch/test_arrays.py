"""The kernels of swiglu on memory of others, on a simulated GPU: arrays of numba by address, and tensors by DLPack."""

import gc

import numpy as np
import pytest
import swiglu
from cuda.bindings import driver
from cuda.core.utils import StridedMemoryView
from numba import cuda


def inputs(n, seed=1):
    random = np.random.default_rng(seed)
    return [random.normal(size=n).astype(np.float32) for _ in range(3)]


def sigmoid(x):
    return 1 / (1 + np.exp(-x.astype(np.float64)))


def expected(a, b):
    return a * sigmoid(a) * b


def address(array):
    return array.device_ctypes_pointer.value or 0


@pytest.mark.parametrize("n", [1, 255, 1025, 10_000])
def test_arrays_of_numba_are_used_where_they_are(n):
    a, b, by_y = inputs(n)
    on_device = [cuda.to_device(it) for it in (a, b, by_y)]
    y, by_a, by_b = (cuda.device_array(n, np.float32) for _ in range(3))
    stream = cuda.stream()
    handle = stream.handle.value if hasattr(stream.handle, "value") else int(stream.handle)
    swiglu.forward_at(*(address(it) for it in (*on_device[:2], y)), n, 0, handle)
    swiglu.backward_at([address(it) for it in (*on_device, by_a, by_b)], n, 0, handle)
    stream.synchronize()
    s = sigmoid(a)
    np.testing.assert_allclose(y.copy_to_host(), expected(a, b), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(by_a.copy_to_host(), by_y * b * s * (1 + a * (1 - s)), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(by_b.copy_to_host(), by_y * a * s, rtol=1e-5, atol=1e-6)


def of(result):
    """The value of a call of the driver."""
    assert result[0] == driver.CUresult.CUDA_SUCCESS, result
    return result[1] if len(result) > 1 else None


def test_a_stream_may_be_captured_into_a_graph():
    a, b, _ = inputs(500)
    on_device = [cuda.to_device(it) for it in (a, b)]
    y = cuda.to_device(np.zeros(500, np.float32))
    stream = of(driver.cuStreamCreate(1))
    addresses = [address(it) for it in (*on_device, y)]
    swiglu.forward_at(*addresses, 0, 0, int(stream))  # loads the kernel
    of(driver.cuStreamBeginCapture(stream, driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_THREAD_LOCAL))
    swiglu.forward_at(*addresses, 500, 0, int(stream))
    graph = of(driver.cuStreamEndCapture(stream))
    assert not y.copy_to_host().any()
    run = of(driver.cuGraphInstantiate(graph, 0))
    of(driver.cuGraphLaunch(run, stream))
    of(driver.cuStreamSynchronize(stream))
    np.testing.assert_allclose(y.copy_to_host(), expected(a, b), rtol=1e-5, atol=1e-6)


def by_dlpack(array):
    """The array as an object with `__dlpack__`."""
    return StridedMemoryView.from_any_interface(array, stream_ptr=-1)


def on_host(view):
    array = np.empty(view.shape, view.dtype)
    of(driver.cuMemcpyDtoH(array.ctypes.data, view.ptr, array.nbytes))
    return array


def test_tensors_come_and_go_by_dlpack():
    a, b, _ = inputs(600)
    on_device = [cuda.to_device(it.reshape(20, 30)) for it in (a, b)]
    y = swiglu.forward(*(by_dlpack(it) for it in on_device))
    assert y.__dlpack_device__() == (2, 0)
    view = StridedMemoryView.from_dlpack(y, stream_ptr=-1)
    assert (tuple(view.shape), view.dtype) == ((20, 30), np.float32)
    # What was handed over comes back as an argument.
    again = swiglu.forward(view, by_dlpack(on_device[1]))
    result = on_host(StridedMemoryView.from_dlpack(again, stream_ptr=-1))
    wanted = expected(expected(a, b).astype(np.float32), b).reshape(20, 30)
    np.testing.assert_allclose(result, wanted, rtol=1e-5, atol=1e-6)


def test_what_is_handed_over_is_freed_once():
    a, b, _ = inputs(1 << 20)
    on_device = [by_dlpack(cuda.to_device(it)) for it in (a, b)]

    def free():
        gc.collect()
        cuda.synchronize()
        return driver.cuMemGetInfo()[1]

    before = free()
    y = swiglu.forward(*on_device)
    assert free() <= before - (4 << 20)
    capsule = y.__dlpack__(stream=-1)
    with pytest.raises(ValueError, match="handed over before"):
        y.__dlpack__(stream=-1)
    del y
    assert free() <= before - (4 << 20)
    del capsule  # that nothing has taken over
    assert free() == before


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.zeros((4, 4), np.float64), "expected elements of .*bits: 32.*found .*bits: 64"),
        (np.zeros((8, 4), np.float32)[::2], "expected rows without gaps, found shape .4, 4. with strides .8, 1."),
        (np.zeros((4, 5), np.float32), "`len.b. == len.y.` does not hold: expected 16 elements, found 20"),
    ],
)
def test_other_tensors_are_refused(array, message):
    a = cuda.to_device(np.zeros((4, 4), np.float32))
    # A slice of an array on the device keeps its strides.
    whole = cuda.to_device(array if array.base is None else array.base)
    b = whole if array.base is None else whole[::2]
    with pytest.raises(RuntimeError, match=message):
        swiglu.forward(by_dlpack(a), by_dlpack(b))
