// Arithmetic as nvcc writes it: library functions expanded in line, wide integers, halves, structures by value.
#include <cstdint>
#include <cuda_fp16.h>

extern "C" __global__ void single(const float *x, float *out, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i];
    out[i] = sinf(v);
    out[n + i] = cosf(v * 1e5f);  // far out: the reduction by 2/pi in integers, with its table
    out[2 * n + i] = expf(v * 0.1f);
    out[3 * n + i] = logf(fabsf(v) + 1e-3f);
    out[4 * n + i] = powf(fabsf(v) + 0.5f, 1.7f);
    out[5 * n + i] = erff(v * 0.2f);
    out[6 * n + i] = atan2f(v, 2.0f - v);
    out[7 * n + i] = v / (v * v + 1.0f) + sqrtf(fabsf(v)) + rsqrtf(fabsf(v) + 1.0f);
}

extern "C" __global__ void twice(const double *x, double *out, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double v = x[i];
    out[i] = sin(v * 1e4);
    out[n + i] = exp(v * 0.1);
    out[2 * n + i] = log(fabs(v) + 1e-3);
    out[3 * n + i] = cbrt(v) / (1.0 + v * v);
    out[4 * n + i] = tgamma(fabs(v) * 0.3 + 0.5);
    out[5 * n + i] = fmod(v, 0.75) + rint(v) + sqrt(fabs(v));
}

extern "C" __global__ void integers(const uint64_t *a, const uint64_t *b, uint64_t *out, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint64_t x = a[i], y = b[i];
    out[i] = x / (y | 1);
    out[n + i] = (uint64_t)((int64_t)x % (int64_t)(y | 1));
    out[2 * n + i] = __umul64hi(x, y);
    unsigned __int128 wide = (unsigned __int128)x * y + x;
    out[3 * n + i] = (uint64_t)(wide >> 61);
    out[4 * n + i] = (uint64_t)(wide / (y | 3));
    out[5 * n + i] = __popcll(x) + __clzll(y) * 100 + __ffsll(x ^ y) * 10000;
    out[6 * n + i] = __byte_perm((unsigned)x, (unsigned)y, 0x5140) ^ __brevll(y);
    out[7 * n + i] = __funnelshift_l((unsigned)x, (unsigned)(x >> 32), (unsigned)y) + (uint64_t)__dp4a((int)x, (int)y, 7);
}

extern "C" __global__ void halves(const float *x, const float *y, float *out, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (2 * i + 1 >= n) return;
    __half2 a = __floats2half2_rn(x[2 * i], x[2 * i + 1]), b = __floats2half2_rn(y[2 * i], y[2 * i + 1]);
    __half2 c = __hfma2(a, b, __hmul2(a, a));
    c = __hmax2(c, __hneg2(b));
    out[2 * i] = __low2float(c);
    out[2 * i + 1] = __high2float(c);
}

struct Line { float slope, offset; int shift[3]; };

extern "C" __global__ void by_value(Line line, const float *x, float *out, unsigned n) {
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = __fadd_rn(__fmul_rn(line.slope, x[i]), line.offset) + line.shift[i % 3];
}
