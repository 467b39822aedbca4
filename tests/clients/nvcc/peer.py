"""Checks of the kernels in the C++ peer's source, which is not in this repository: `run peer.cu tests/clients/nvcc/peer.py`.

What needs cub and cublas is left out: those are other libraries' kernels, and the host program with its timings.
"""

import numpy as np

TEMPLATES = """
template __global__ void reduceUnrolling<2>(int*, int*, unsigned);
template __global__ void reduceUnrolling<8>(int*, int*, unsigned);
template __global__ void reduceCompleteUnroll8<512>(int*, int*, unsigned);
template __global__ void smemT<0>(float*, const float*, int, int);
template __global__ void smemT<1>(float*, const float*, int, int);
template __global__ void mmTiled<32>(const float*, const float*, float*, int);
"""


def prepare(text):
    lines = text[: text.index("int main()")].splitlines()
    host = ("#include <cub", "#include <cublas", "#include <vector", "#include <algorithm", "template<class F>")
    return "\n".join(line for line in lines if not line.startswith(host)) + TEMPLATES


def mangled(name):
    return f"_Z{len(name)}{name}"


def check_elementwise(module, random):
    n = 10_000
    a, b, c = random.uniform(size=n).astype(np.float32), random.uniform(size=n).astype(np.float32), np.zeros(n, np.float32)
    module.launch(mangled("vecAdd"), 40, 256, a, b, c, np.uint32(n))
    assert np.array_equal(c, a + b)
    out = np.zeros(n, np.float32)
    module.launch(mangled("copyk"), 10, 256, a, out, np.uint32(n // 4))
    assert np.array_equal(out, a)
    pairs, out = a.reshape(-1, 2), np.zeros((n // 2, 2), np.float32)
    module.launch(mangled("aos"), 20, 256, pairs, out, np.uint32(n // 2))
    assert np.array_equal(out, pairs + np.array([10, 20], np.float32))


def check_reductions(module, random):
    n, block = 1 << 15, 512
    kernels = [("reduceNeighbored", 1, "P"), ("reduceNeighboredLess", 1, "P"), ("reduceInterleaved", 1, "P"),
               ("reduceUnrolling", 2, "ILi2E"), ("reduceUnrolling", 8, "ILi8E"), ("reduceCompleteUnroll8", 8, "ILj512E"),
               ("reduceSmemUnroll4", 4, "P")]
    for name, unroll, suffix in kernels:
        x = random.integers(-99, 99, n).astype(np.int32)
        sums, grid = np.zeros(n // block // unroll, np.int32), n // block // unroll
        should = x.reshape(grid, -1).sum(axis=1)
        module.launch(mangled(name) + suffix, grid, block, x, sums, np.uint32(n))
        assert np.array_equal(sums, should), name
    x, sums = random.integers(-99, 99, n).astype(np.int32), np.zeros(16, np.int32)
    module.launch(mangled("reduceShfl"), 16, 256, x, sums, np.uint32(n))
    assert sums.sum() == x.sum(), "reduceShfl"
    total = np.zeros(1, np.int32)
    module.launch(mangled("reduceGrid4"), 16, 256, x, total, np.uint32(n // 4))
    assert total[0] == x.sum(), "reduceGrid4"


def check_transposes(module, random):
    nx, ny = 256, 128
    a = random.uniform(size=(ny, nx)).astype(np.float32)
    for name, turned in [("copyRow", False), ("naiveRow", True)]:
        out = np.zeros_like(a)
        module.launch(mangled(name), (nx // 16, ny // 16), (16, 16), out, a, np.int32(nx), np.int32(ny))
        assert np.array_equal(out.reshape(nx, ny) if turned else out, a.T if turned else a), name
    # Blocks along diagonals are for square grids.
    square, out = a[:, :ny].copy(), np.zeros((ny, ny), np.float32)
    module.launch(mangled("diagRow"), (ny // 16, ny // 16), (16, 16), out, square, np.int32(ny), np.int32(ny))
    assert np.array_equal(out, square.T), "diagRow"
    out = np.zeros_like(a)
    module.launch(mangled("naiveCol"), (nx // 16, ny // 16), (16, 16), out, a, np.int32(nx), np.int32(ny))
    assert np.array_equal(out, a.reshape(nx, ny).T), "naiveCol"
    for pad in ("ILi0E", "ILi1E"):
        out = np.zeros_like(a)
        module.launch(mangled("smemT") + pad, (nx // 32, ny // 32), (32, 8), out, a, np.int32(nx), np.int32(ny))
        assert np.array_equal(out.reshape(nx, ny), a.T), "smemT"


def check_matmuls(module, random):
    n = 96
    a, b = (random.integers(-4, 5, (n, n)).astype(np.float32) for _ in range(2))
    for name, block in [("mmNaive", 16), ("mmTiledILi32E", 32)]:
        c = np.zeros((n, n), np.float32)
        full = mangled("mmNaive") if name == "mmNaive" else "_Z7mmTiledILi32E"
        module.launch(full, (n // block, n // block), (block, block), a, b, c, np.int32(n))
        assert np.array_equal(c, a @ b), name


def check_stencil(module, random):
    n, coefficients = 2048, np.array([0, 0.5, -0.25, 0.125, -0.0625], np.float32)
    x, out = random.integers(-8, 8, n + 8).astype(np.float32), np.zeros(n + 8, np.float32)
    module.symbol("coef", coefficients)
    module.launch(mangled("stencil"), n // 256, 256, x, out, np.int32(n))
    should = sum(coefficients[j] * (x[4 + j:4 + j + n] - x[4 - j:4 - j + n]) for j in range(1, 5))
    assert np.array_equal(out[4:4 + n], should)


def check_histogram(module, random):
    n, bins = 20_000, 256
    x, counts = random.integers(-10, 300, n).astype(np.int32), np.zeros(bins, np.int32)
    module.launch(mangled("hist"), 8, 256, x, counts, np.uint32(n), np.int32(bins), shared=4 * bins)
    assert np.array_equal(counts, np.bincount(np.clip(x, 0, bins - 1), minlength=bins))
