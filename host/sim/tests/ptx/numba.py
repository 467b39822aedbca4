"""Kernels that make numba emit the forms that the second part of forms.txt lists."""
import math
from numba import cuda, float32, float64, int32, uint32, int64, uint64, uint8, void


def trigonometry(x, y, z):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = math.sin(x[i]) + math.cos(x[i]) + math.sqrt(x[i]) + math.exp(x[i]) + math.log(x[i]) + math.pow(x[i], 1.5)
        z[i] = math.sin(z[i]) + math.floor(z[i]) + 1.0 / z[i] + math.fmod(z[i], 3.0)


def warps(a, b, out):
    i = cuda.grid(1)
    t = cuda.shared.array(64, int32)
    t[cuda.threadIdx.x] = a[i]
    cuda.syncthreads()
    v = t[(cuda.threadIdx.x + 1) % 64]
    v += cuda.shfl_down_sync(0xffffffff, v, 2) + cuda.shfl_xor_sync(0xffffffff, v, 1) + cuda.popc(v) + cuda.clz(v) + cuda.brev(v)
    if cuda.any_sync(0xffffffff, v > 3) and cuda.all_sync(0xffffffff, v < 900):
        v += cuda.ballot_sync(0xffffffff, v > 5) + cuda.laneid + cuda.match_any_sync(0xffffffff, v) + cuda.activemask() + cuda.lanemask_lt()
    v += cuda.syncthreads_count(v) + cuda.syncthreads_or(v) + cuda.syncthreads_and(v)
    cuda.syncwarp()
    cuda.threadfence()
    cuda.threadfence_block()
    cuda.threadfence_system()
    cuda.nanosleep(uint32(10))
    out[i] = v
    b[i] = cuda.fma(b[i], b[i], b[i]) + cuda.selp(v > 3, b[i], 1.0) + cuda.cbrt(b[i])


def atomics(f, d, i, u, l):
    k = cuda.grid(1)
    cuda.atomic.add(f, 0, 1.0)
    cuda.atomic.add(d, k, 2.0)
    cuda.atomic.max(i, 0, k)
    cuda.atomic.min(l, 0, k)
    cuda.atomic.inc(u, 0, 7)
    cuda.atomic.dec(u, 1, 9)
    cuda.atomic.cas(i, 2, 3, 4)
    cuda.atomic.exch(u, 3, 5)
    cuda.atomic.max(f, 1, 3.0)


for name, function, types in [
    ("trigonometry", trigonometry, (float32[:], float32[:], float64[:])),
    ("warps", warps, (int32[:], float64[:], int32[:])),
    ("atomics", atomics, (float32[:], float64[:], int32[:], uint32[:], int64[:])),
]:
    ptx, _ = cuda.compile_ptx(function, types, cc=(8, 0))
    open(f"numba_{name}.ptx", "w").write(ptx)
