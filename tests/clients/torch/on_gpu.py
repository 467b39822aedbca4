"""The operator `lanewise::swiglu` beside PyTorch's own operators, on a GPU: the same numbers, and what both take."""

import json
import statistics
import sys
import time

import swiglu
import torch
import torch.nn.functional as F
from swiglu.torch import swiglu as ours


def theirs(a, b):
    return F.silu(a) * b


def gradients(op, a, b, by_y):
    a, b = (it.detach().requires_grad_() for it in (a, b))
    op(a, b).backward(by_y)
    return a.grad, b.grad


def inputs(n):
    torch.manual_seed(1)
    return [torch.randn(n, device="cuda") for _ in range(3)]


def agree(n):
    a, b, by_y = inputs(n)
    torch.testing.assert_close(ours(a, b), theirs(a, b), rtol=1e-5, atol=1e-6)
    # PyTorch rounds between its two kernels.
    for mine, other in zip(gradients(ours, a, b, by_y), gradients(theirs, a, b, by_y)):
        torch.testing.assert_close(mine, other, rtol=1e-4, atol=1e-5)
    # By DLPack, both ways, and on another stream.
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        y = torch.from_dlpack(swiglu.forward(a, b, on=stream.cuda_stream))
    stream.synchronize()
    assert torch.equal(y, ours(a, b))


def captured(op, a, b):
    """A graph of the operator, and its result."""
    op(a, b)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = op(a, b)
    return graph, y


def on_device(work, calls=10):
    """Microseconds of the device for one call, the median of 21 rounds of some calls."""
    times = []
    for _ in range(24):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        for _ in range(calls):
            work()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end) * 1e3 / calls)
    return round(statistics.median(times[3:]), 2)


def on_host(work, calls=500):
    """Microseconds of the host for one call, the median of 21 rounds of many calls."""
    times = []
    for _ in range(24):
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(calls):
            work()
        times.append((time.perf_counter() - start) / calls * 1e6)
        torch.cuda.synchronize()
    return round(statistics.median(times[3:]), 2)


def main():
    for n in (1, 1023, 1 << 20):
        agree(n)
    a, b, _ = inputs(1 << 20)
    graph, y = captured(ours, a, b)
    a.mul_(2)
    graph.replay()
    torch.cuda.synchronize()
    torch.testing.assert_close(y, theirs(a, b), rtol=1e-5, atol=1e-6)
    found = {"gpu": torch.cuda.get_device_name(), "torch": torch.__version__, "python": sys.version.split()[0]}
    a, b, by_y = inputs(1 << 27)
    for name, op in (("lanewise", ours), ("torch", theirs)):
        found[f"{name}, forward, 2^27, us"] = on_device(lambda: op(a, b))
        found[f"{name}, forward and backward, 2^27, us"] = on_device(lambda: gradients(op, a, b, by_y))
    a, b, by_y = inputs(1024)
    y, stream = torch.empty_like(a), torch.cuda.current_stream().cuda_stream
    pointers = [it.data_ptr() for it in (a, b, y)]
    with torch.no_grad():
        found["torch, forward, 1024, us of the host"] = on_host(lambda: theirs(a, b))
        found["torch, silu alone, 1024, us of the host"] = on_host(lambda: F.silu(a))
        found["lanewise, operator, 1024, us of the host"] = on_host(lambda: ours(a, b))
        found["lanewise, forward_at, 1024, us of the host"] = on_host(lambda: swiglu.forward_at(*pointers, 1024, 0, stream))
        found["lanewise, by DLPack, 1024, us of the host"] = on_host(lambda: torch.from_dlpack(swiglu.forward(a, b)))
    graph, _ = captured(ours, a, b)
    found["lanewise, a graph of the operator, 1024, us of the host"] = on_host(graph.replay)
    found["torch, forward and backward, 1024, us of the host"] = on_host(lambda: gradients(theirs, a, b, by_y), 100)
    found["lanewise, forward and backward, 1024, us of the host"] = on_host(lambda: gradients(ours, a, b, by_y), 100)
    print(json.dumps(found, indent=1))


main()
