"""What arithmetic.cu computes, by numpy and Python's integers. Bounds are those of the CUDA guide's appendix on functions."""

import math
import struct

import numpy as np

N = 1000
WORD = (1 << 64) - 1


def close(name, is_, should, bound):
    error = np.max(np.abs(is_ - should) / np.maximum(np.abs(should), 1.0))
    assert error <= bound, f"{name}: off by {error}, {bound} is allowed"


def check_single(module, random):
    x, out = random.uniform(-20, 20, N).astype(np.float32), np.zeros((8, N), np.float32)
    module.launch("single", 8, 128, x, out, np.uint32(N))
    v = x.astype(np.float64)
    far = (x * np.float32(1e5)).astype(np.float64)
    should = [
        np.sin(v), np.cos(far), np.exp(v * 0.1), np.log(np.abs(v) + 1e-3), (np.abs(v) + 0.5) ** 1.7,
        [math.erf(a * 0.2) for a in v], np.arctan2(v, 2 - v), v / (v * v + 1) + np.sqrt(np.abs(v)) + 1 / np.sqrt(np.abs(v) + 1),
    ]
    for name, row, exact in zip(["sin", "cos", "exp", "log", "pow", "erf", "atan2", "roots"], out, should):
        close(name, row, np.asarray(exact), 2e-6)


def check_double(module, random):
    x, out = random.uniform(-20, 20, N), np.zeros((6, N))
    module.launch("twice", 8, 128, x, out, np.uint32(N))
    should = [
        np.sin(x * 1e4), np.exp(x * 0.1), np.log(np.abs(x) + 1e-3), np.cbrt(x) / (1 + x * x),
        [math.gamma(abs(a) * 0.3 + 0.5) for a in x], np.fmod(x, 0.75) + np.rint(x) + np.sqrt(np.abs(x)),
    ]
    for name, row, exact in zip(["sin", "exp", "log", "cbrt", "gamma", "fmod"], out, should):
        close(name, row, np.asarray(exact), 3e-15)


def signed(x, bits):
    return x - (1 << bits) if x >> (bits - 1) else x


def by_python(x, y):
    """The row of results of two words."""
    wide = x * y + x
    low, high, shift = x & 0xFFFFFFFF, x >> 32, y & 31
    a, b = signed(x, 64), signed(y | 1, 64)
    eight = [x & 0xFF, x >> 8 & 0xFF, x >> 16 & 0xFF, x >> 24 & 0xFF, y & 0xFF, y >> 8 & 0xFF, y >> 16 & 0xFF, y >> 24 & 0xFF]
    permuted = sum(eight[selector] << 8 * place for place, selector in enumerate([0, 4, 1, 5]))
    dot = 7 + sum(signed(x >> s & 0xFF, 8) * signed(y >> s & 0xFF, 8) for s in (0, 8, 16, 24))
    different = x ^ y
    return [
        x // (y | 1), (abs(a) % abs(b)) * (-1 if a < 0 else 1), (x * y) >> 64, wide >> 61, wide // (y | 3),
        x.bit_count() + (64 - y.bit_length()) * 100 + ((different & -different).bit_length()) * 10000,
        permuted ^ int(f"{y:064b}"[::-1], 2), ((high << 32 | low) << shift >> 32 & 0xFFFFFFFF) + dot,
    ]


def check_integers(module, random):
    a, b = (random.integers(0, WORD, N, np.uint64, endpoint=True) >> random.integers(0, 64, N, np.uint64) for _ in range(2))
    out = np.zeros((8, N), np.uint64)
    module.launch("integers", 8, 128, a, b, out, np.uint32(N))
    for i in range(N):
        should = [value & WORD for value in by_python(int(a[i]), int(b[i]))]
        assert [int(value) for value in out[:, i]] == should, f"{a[i]:#x}, {b[i]:#x}: {out[:, i]}, not {should}"


def check_halves(module, random):
    x, y = random.uniform(-4, 4, N).astype(np.float32), random.uniform(-4, 4, N).astype(np.float32)
    out = np.zeros(N, np.float32)
    module.launch("halves", 4, 128, x, y, out, np.uint32(N))
    a, b = x.astype(np.float16), y.astype(np.float16)
    # A product of halves is exact in a double, and so is the sum of two such.
    fused = (a.astype(np.float64) * b + (a * a).astype(np.float64)).astype(np.float16)
    assert np.array_equal(out, np.maximum(fused, -b).astype(np.float32)), "not the same bits"


def check_by_value(module, random):
    x, out = random.uniform(-4, 4, N).astype(np.float32), np.zeros(N, np.float32)
    module.launch("by_value", 2, 64, struct.pack("<2f3i", 1.5, -0.25, 3, 5, 7), x, out, np.uint32(N))
    should = np.float32(1.5) * x + np.float32(-0.25) + np.resize(np.array([3, 5, 7], np.float32), N)
    assert np.array_equal(out, should), "not the same bits"
