"""Compiles each kernel for an A100 (sm_80), runs it on the driver, and compares with numpy."""

import sys
import time

import numpy as np
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

import device
import kernels

random = np.random.default_rng(1)


def launch(kernel, grid, types, arguments, constants, warps=4):
    """Compiles for these types of arguments and constants, and runs."""
    names = kernel.arg_names
    signature = dict(zip(names, [*types, *["constexpr"] * len(constants)]))
    source = ASTSource(kernel, signature=signature, constexprs=dict(zip(names[len(types) :], constants)))
    compiled = triton.compile(source, target=GPUTarget("cuda", 80, 32), options={"num_warps": warps})
    module = device.Module(compiled.asm["ptx"].encode())
    # Behind its own arguments a kernel has the addresses of scratch memory, of which these need none.
    scratch = [np.uint64(0), np.uint64(0)]
    module.launch(compiled.metadata.name, grid, 32 * warps, *arguments, *scratch, shared=compiled.metadata.shared)


def product(types, left, right, total, constant, m=50, n=40, k=72):
    a = random.integers(-4, 5, (m, k)).astype(left)
    b = random.integers(-4, 5, (k, n)).astype(right)
    c = np.zeros((m, n), total)
    sizes = [np.int32(size) for size in (m, n, k)]
    launch(kernels.matmul, (2, 2), [*types, "i32", "i32", "i32"], [a, b, c, *sizes], [32, 32, 32, constant])
    # Small whole numbers: every sum is exact, in tf32 as well.
    np.testing.assert_array_equal(c, a.astype(np.float64) @ b.astype(np.float64))


def check_matmul_fp16():
    product(["*fp16", "*fp16", "*fp32"], np.float16, np.float16, np.float32, tl.float32)


def check_matmul_tf32():
    product(["*fp32", "*fp32", "*fp32"], np.float32, np.float32, np.float32, tl.float32)


def check_matmul_int8():
    product(["*i8", "*i8", "*i32"], np.int8, np.int8, np.int32, tl.int32)


def check_softmax():
    x = random.standard_normal((3, 100), np.float32)
    y = np.zeros_like(x)
    launch(kernels.softmax, 3, ["*fp32", "*fp32", "i32"], [x, y, np.int32(100)], [128])
    expected = np.exp(x - x.max(1, keepdims=True))
    np.testing.assert_allclose(y, expected / expected.sum(1, keepdims=True), rtol=1e-5)


def check_layer_norm():
    x = random.standard_normal((3, 200), np.float32)
    weight, bias = random.standard_normal((2, 200), np.float32)
    y = np.zeros_like(x)
    types = ["*fp32"] * 4 + ["i32", "fp32"]
    launch(kernels.layer_norm, 3, types, [x, weight, bias, y, np.int32(200), np.float32(1e-5)], [256])
    apart = x - x.mean(1, keepdims=True)
    expected = apart / np.sqrt((apart**2).mean(1, keepdims=True) + 1e-5) * weight + bias
    np.testing.assert_allclose(y, expected, rtol=1e-4, atol=1e-5)


def check_attention():
    n, d = 70, 32
    q, k, v = random.standard_normal((3, n, d), np.float32).astype(np.float16)
    out = np.zeros((n, d), np.float32)
    types = ["*fp16"] * 3 + ["*fp32", "i32", "fp32"]
    scale = np.float32(d**-0.5)
    launch(kernels.attention, 3, types, [q, k, v, out, np.int32(n), scale], [32, 32, d])
    scores = q.astype(np.float64) @ k.astype(np.float64).T * scale
    weights = np.exp(scores - scores.max(1, keepdims=True))
    expected = weights / weights.sum(1, keepdims=True) @ v.astype(np.float64)
    np.testing.assert_allclose(out, expected, rtol=5e-3, atol=5e-3)


def check_scan():
    x = random.integers(-9, 10, (2, 300)).astype(np.int32)
    sums, most = np.zeros_like(x), np.zeros_like(x)
    launch(kernels.scan, 2, ["*i32"] * 3 + ["i32"], [x, sums, most, np.int32(300)], [512])
    np.testing.assert_array_equal(sums, x.cumsum(1))
    np.testing.assert_array_equal(most, np.maximum.accumulate(x, 1))


def check_sort():
    x = random.integers(-1000, 1000, (2, 128)).astype(np.int32)
    y = np.zeros_like(x)
    launch(kernels.sort, 2, ["*i32", "*i32"], [x, y], [128])
    np.testing.assert_array_equal(y, np.sort(x, 1))


def check_atomics():
    x = random.integers(0, 1000, 500).astype(np.int32)
    bins, most, total, lock = np.zeros(16, np.int32), np.zeros(1, np.int32), np.zeros(1, np.float32), np.zeros(1, np.int32)
    launch(kernels.atomics, 4, ["*i32", "*i32", "*i32", "*fp32", "*i32", "i32"], [x, bins, most, total, lock, np.int32(500)], [128])
    np.testing.assert_array_equal(bins, np.bincount(x & 15, minlength=16))
    assert (most[0], total[0], lock[0]) == (x.max(), x.sum(), 0)


def main():
    failed = 0
    for name, check in list(globals().items()):
        if name.startswith("check_"):
            start = time.monotonic()
            try:
                check()
                what = "ok"
            except (AssertionError, RuntimeError) as error:
                failed += 1
                what = f"FAILED: {error}"
            print(f"triton {triton.__version__} {name.removeprefix('check_')}: {what} ({time.monotonic() - start:.2f} s)", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main() > 0)
