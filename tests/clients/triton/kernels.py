"""Kernels as users of Triton write them: products, attention, normalisations, scans, sorts, atomics."""

import triton
import triton.language as tl


@triton.jit
def matmul(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SUM: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    inner = tl.arange(0, BK)
    total = tl.zeros((BM, BN), dtype=SUM)
    for start in range(0, k, BK):
        at = start + inner
        left = tl.load(a + rows[:, None] * k + at[None, :], mask=(rows[:, None] < m) & (at[None, :] < k), other=0)
        right = tl.load(b + at[:, None] * n + columns[None, :], mask=(at[:, None] < k) & (columns[None, :] < n), other=0)
        total = tl.dot(left, right, total, out_dtype=SUM)
    inside = (rows[:, None] < m) & (columns[None, :] < n)
    tl.store(c + rows[:, None] * n + columns[None, :], total, mask=inside)


@triton.jit
def softmax(x, y, n, BLOCK: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    values = tl.load(x + row * n + at, mask=at < n, other=-float("inf"))
    values = tl.exp(values - tl.max(values, 0))
    tl.store(y + row * n + at, values / tl.sum(values, 0), mask=at < n)


@triton.jit
def layer_norm(x, weight, bias, y, n, epsilon, BLOCK: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    inside = at < n
    values = tl.load(x + row * n + at, mask=inside, other=0.0)
    mean = tl.sum(values, 0) / n
    apart = tl.where(inside, values - mean, 0.0)
    scale = 1 / tl.sqrt(tl.sum(apart * apart, 0) / n + epsilon)
    result = apart * scale * tl.load(weight + at, mask=inside) + tl.load(bias + at, mask=inside)
    tl.store(y + row * n + at, result, mask=inside)


@triton.jit
def attention(q, k, v, out, n, scale, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    rows, inner = tl.program_id(0) * BM + tl.arange(0, BM), tl.arange(0, D)
    query = tl.load(q + rows[:, None] * D + inner[None, :], mask=rows[:, None] < n, other=0.0)
    most = tl.full((BM,), -float("inf"), tl.float32)
    weight = tl.zeros((BM,), tl.float32)
    total = tl.zeros((BM, D), tl.float32)
    for start in range(0, n, BN):
        at = start + tl.arange(0, BN)
        key = tl.load(k + at[None, :] * D + inner[:, None], mask=at[None, :] < n, other=0.0)
        scores = tl.dot(query, key) * scale
        scores = tl.where(at[None, :] < n, scores, -float("inf"))
        new = tl.maximum(most, tl.max(scores, 1))
        less, part = tl.exp(most - new), tl.exp(scores - new[:, None])
        weight = weight * less + tl.sum(part, 1)
        value = tl.load(v + at[:, None] * D + inner[None, :], mask=at[:, None] < n, other=0.0)
        total = tl.dot(part.to(tl.float16), value, total * less[:, None])
        most = new
    tl.store(out + rows[:, None] * D + inner[None, :], total / weight[:, None], mask=rows[:, None] < n)


@triton.jit
def larger(a, b):
    return tl.maximum(a, b)


@triton.jit
def scan(x, sums, most, n, BLOCK: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    values = tl.load(x + row * n + at, mask=at < n, other=0)
    tl.store(sums + row * n + at, tl.cumsum(values, 0), mask=at < n)
    tl.store(most + row * n + at, tl.associative_scan(values, 0, larger), mask=at < n)


@triton.jit
def sort(x, y, BLOCK: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    tl.store(y + row * BLOCK + at, tl.sort(tl.load(x + row * BLOCK + at)))


@triton.jit
def atomics(x, bins, most, total, lock, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    values = tl.load(x + at, mask=inside, other=0)
    tl.atomic_add(bins + (values & 15), 1, mask=inside)
    tl.atomic_max(most, tl.max(values, 0))
    # A lock that programs take in turn.
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(total, tl.load(total, volatile=True) + tl.sum(values.to(tl.float32), 0))
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)
