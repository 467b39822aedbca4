"""What machine.cu computes, by numpy."""

import numpy as np


def check_stencil(module, random):
    n, weights = 1000, np.array([0.5, -1, 2, -1, 0.25], np.float32)
    x, out = random.integers(-8, 8, n).astype(np.float32), np.zeros(n, np.float32)
    module.symbol("weights", weights)
    module.launch("stencil", 8, 128, x, out, np.uint32(n), shared=4 * (128 + 4))
    assert np.array_equal(out, np.convolve(x, weights[::-1], "same")), "not the same sums"


def check_warps(module, random):
    x, out = random.integers(0, 100, 256).astype(np.int32), np.zeros((256, 6), np.int32)
    module.launch("warps", 2, 128, x, out)
    for i in range(256):
        warp = x[i // 32 * 32:][:32]
        mask = lambda lanes: np.int32(np.uint32(sum(1 << lane for lane in range(32) if lanes[lane])))
        with np.errstate(over="ignore"):
            should = [
                warp.sum(), np.uint32(mask(warp & 1)).astype(np.int32), np.uint32(mask(warp % 3 == x[i] % 3)).astype(np.int32),
                warp[: i % 32 + 1].sum(), x[i] & 1, (x[i // 128 * 128:][:128] > 50).sum(),
            ]
        assert out[i].tolist() == [int(v) for v in should], f"thread {i}: {out[i]}, not {should}"


def check_atomics(module, random):
    n = 3000
    x, bins, most, counter = random.integers(0, 1000, n).astype(np.int32), np.zeros(16, np.int32), np.zeros(1), np.zeros(1, np.int32)
    module.launch("atomics", 4, 96, x, bins, most, counter, np.uint32(n))
    assert np.array_equal(bins, np.bincount(x & 15, minlength=16)), bins
    assert most[0] == x.max() * 0.5, most
    assert counter[0] == 4 * 96, counter


def check_calls(module, random):
    n = 200
    x, out, numbers = random.uniform(0, 4, n).astype(np.float32), np.zeros(n, np.float32), np.zeros(n, np.uint32)
    module.launch("calls", 2, 128, x, out, numbers, np.uint32(n))
    i = np.arange(n)
    area = np.where(i % 2 == 1, x * x, np.float32(3) * x * x)
    assert np.allclose(out, area * np.where(i // 2 % 2 == 1, 2.0, 0.5), rtol=1e-6), "areas"
    fibonacci = [0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89]
    assert numbers.tolist() == [fibonacci[k % 12] for k in range(n)], "numbers"


def check_matrices(module, random):
    a, b = (random.integers(-8, 8, (16, 32)).astype(np.float16) for _ in range(2))
    c = np.zeros((16, 16), np.float32)
    module.launch("matrices", 1, 32, a, b, c)
    assert np.array_equal(c, a.astype(np.float32) @ b.astype(np.float32).T + 1), c


def check_pipeline(module, random):
    x, out = random.integers(0, 1 << 30, (128, 4)).astype(np.int32), np.zeros((128, 4), np.int32)
    module.launch("pipeline", 1, 64, x, out)
    assert np.array_equal(out, np.concatenate([x[63::-1], x[:63:-1]])), out
