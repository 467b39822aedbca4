"""What the twins compute that the benchmark times beside the catalog's kernels (`host/patterns/src/nvidia/twins.cu`)."""

import numpy as np


def u32(value):
    return np.uint32(value)


def check_sums(module, random):
    n, block = 1 << 15, 512
    kernels = [("reduce_neighbored", 1), ("reduce_neighbored_less", 1), ("reduce_interleaved", 1), ("reduce_unrolling2", 2),
               ("reduce_unrolling4", 4), ("reduce_unrolling8", 8), ("reduce_complete_unroll_512", 8), ("reduce_smem_unroll4", 4)]
    for name, each in kernels:
        data = random.integers(-99, 99, n, np.int32)
        grid = n // block // each
        sums, should = np.zeros(grid, np.int32), data.reshape(grid, -1).sum(axis=1)
        module.launch(name, grid, block, data, sums, u32(n))
        assert np.array_equal(sums, should), name
    data, sums = random.integers(-99, 99, n, np.int32), np.zeros(16, np.int32)
    module.launch("reduce_shfl", 16, 256, data, sums, u32(n))
    assert sums.sum() == data.sum(), "reduce_shfl"


def check_matrices(module, random):
    n = 128
    a, by_tiles = random.uniform(size=(n, n)).astype(np.float32), (n // 32, n // 32)
    blocks = {"transpose_smem": (by_tiles, (32, 8)), "transpose_smem_pad": (by_tiles, (32, 8))}
    for name in ["copy_row", "transpose_naive_row", "transpose_naive_col", "transpose_diagonal_row", *blocks]:
        out = np.zeros_like(a)
        grid, block = blocks.get(name, ((n // 16, n // 16), (16, 16)))
        module.launch(name, grid, block, a, out, u32(n), u32(n))
        assert np.array_equal(out, a if name == "copy_row" else a.T), name


def check_products(module, random):
    n = 96
    a, b = (random.integers(-4, 5, (n, n)).astype(np.float32) for _ in range(2))
    for name, side in [("matmul_naive", 16), ("matmul_shared_16", 16), ("matmul_shared_32", 32)]:
        c = np.zeros((n, n), np.float32)
        module.launch(name, (n // side, n // side), (side, side), a, b, c, u32(n))
        assert np.array_equal(c, a @ b), name


def check_vectors(module, random):
    n = 2000
    a, b, out = random.uniform(size=n).astype(np.float32), random.uniform(size=n).astype(np.float32), np.zeros(n, np.float32)
    module.launch("vec_add", 8, 256, a, b, out, u32(n))
    assert np.array_equal(out, a + b)
    module.launch("stencil_constant", 8, 256, a, out, u32(n))
    wide = np.pad(a.astype(np.float64), 4)
    should = sum(c * (wide[4 + j : n + 4 + j] - wide[4 - j : n + 4 - j]) for j, c in enumerate([4 / 5, -1 / 5, 4 / 105, -1 / 280], 1))
    assert np.max(np.abs(out - should)) < 1e-5
