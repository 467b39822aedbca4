// Floating-point forms: roundings, approximations, conversions, halves.
#include <cuda_fp16.h>
#include <cuda_bf16.h>
extern "C" __global__ void floats(float* a, double* d, int* k, unsigned long long* u) {
    int i = threadIdx.x; float x = a[i]; double y = d[i];
    a[i] = sinf(x) + __sinf(x) + __expf(x) + __logf(x) + sqrtf(x) + rsqrtf(x) + __fdividef(x, 3.f) + x / 7.f + fmaf(x, x, 1.f) + __fadd_rz(x, 1.f)
         + __fmul_ru(x, x) + __frcp_rd(x) + fminf(x, 2.f) + fmaxf(x, -1.f) + tanhf(x) + powf(x, 1.5f) + floorf(x) + rintf(x) + __saturatef(x) + copysignf(x, -1.f) + fmodf(x, 3.f);
    d[i] = sin(y) + sqrt(y) + y / 3.0 + fma(y, y, 1.0) + __dadd_rd(y, 1.0) + exp(y) + (double)x + ceil(y) + fmin(y, 1.0) + log(y) + cbrt(y);
    k[i] = (int)x + __float2int_rd(x) + __double2int_rn(y) + (int)isnan(x) + __float_as_int(x) + (signed char)x; u[i] = (unsigned long long)y + __double2ull_ru(y) + (unsigned short)k[i];
}
extern "C" __global__ void halves(__half* h, __half2* h2, __nv_bfloat16* b, __nv_bfloat162* b2, float* f) {
    int i = threadIdx.x; __half x = h[i];
    h[i] = __hfma(x, x, __float2half(1.f)) + __hmax(x, hexp2(x)) + htanh_approx(x) + __hneg(x) + __habs(x);
    h2[i] = __hfma2(h2[i], h2[i], h2[i]) + __hmin2(h2[i], h2[i + 1]) + __floats2half2_rn(f[i], f[i + 1]);
    b[i] = __hfma(b[i], b[i], b[i]) + __float2bfloat16(f[i]); b2[i] = __hmul2(b2[i], b2[i]) + __floats2bfloat162_rn(f[i], 2.f);
    f[i] = __half2float(x) + __bfloat162float(b[i]) + (float)(x > h[i + 1]) + (float)__hlt(b[i], b[i + 1]);
}
