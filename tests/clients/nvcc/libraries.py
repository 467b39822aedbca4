"""What libraries.cu computes, by numpy. It is compiled twice: optimised, and for a debugger."""

import numpy as np

# Shared barriers are initialised by `init`, of which the compiler knows nothing.
QUIET = "-diag-suppress=20054"
VARIANTS = [["-lineinfo", QUIET], ["-G", QUIET]]
THREADS = 128


def check_cub_block(module, random):
    x = random.integers(0, 1000, (2, THREADS)).astype(np.int32)
    sums, scans, ordered = np.zeros(2, np.int32), np.zeros_like(x), np.zeros((2, 2 * THREADS), np.int32)
    module.launch("cub_block", 2, THREADS, x, sums, scans, ordered)
    assert np.array_equal(sums, x.sum(1)), "sums"
    assert np.array_equal(scans, x.cumsum(1)), "scans"
    assert np.array_equal(ordered, np.sort(np.concatenate([x, x * 7919 % 1000], 1), 1)), "order"


def check_cub_warp(module, random):
    x = random.integers(-50, 50, THREADS).astype(np.float32)
    sums, scans = np.zeros(THREADS // 32, np.float32), np.zeros_like(x)
    module.launch("cub_warp", 1, THREADS, x, sums, scans)
    assert np.array_equal(sums, x.reshape(-1, 32).sum(1)), "sums"
    rows = x.reshape(-1, 16)
    assert np.array_equal(scans.reshape(-1, 16), rows.cumsum(1) - rows), "scans"


def check_barriers(module, random):
    out, rounds = np.zeros(THREADS // 2, np.int32), 5
    module.launch("barriers", 1, THREADS, out, np.int32(rounds))
    others = THREADS // 2 - 1 - np.arange(THREADS // 2)
    assert np.array_equal(out, 1000 * sum(range(rounds)) + rounds * others), out


def check_pipelines(module, random):
    x, out = random.integers(0, 1000, (5, THREADS, 4)).astype(np.int32), np.zeros(THREADS, np.int32)
    module.launch("pipelines", 1, THREADS, x, out, np.int32(5))
    assert np.array_equal(out, (x @ np.array([1, 2, 3, 4]))[:, ::-1].sum(0)), out


def check_groups(module, random):
    n = 3 * THREADS
    x = random.integers(0, 100, n).astype(np.int32)
    tiles, wide, some, total = np.zeros((n, 2), np.int32), np.zeros(n, np.int32), np.zeros(n, np.int32), np.zeros(1, np.int32)
    module.launch("groups", 3, THREADS, x, tiles, wide, some, total, cooperative=True)
    assert total[0] == x.sum(), total
    rows = x.reshape(-1, 8)
    odd = 1000 if x.sum() % 2 else 0
    assert np.array_equal(tiles[:, 0], np.repeat(rows.sum(1), 8) + odd), "reductions of tiles"
    assert np.array_equal(tiles[:, 1], (rows.cumsum(1) - rows).ravel()), "scans of tiles"
    assert np.array_equal(wide, np.repeat(x.reshape(-1, 64).max(1), 64)), "tiles of two warps"
    third = x.reshape(-1, 32) % 3 == 0
    expected = third * (third.sum(1, keepdims=True) * 100 + third.cumsum(1) - 1)
    assert np.array_equal(some.reshape(-1, 32), expected), "those who went together"
