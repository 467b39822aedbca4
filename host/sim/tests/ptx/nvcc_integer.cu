// Integer forms that nvcc emits: 64-bit, carries, bit fields, dp4a, video-free intrinsics.
#include <cstdint>
extern "C" __global__ void integers(uint32_t* a, int64_t* b, uint64_t* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint32_t x = a[i]; int64_t y = b[i]; uint64_t z = c[i];
    a[i] = __popc(x) + __clz(x) + __brev(x) + __ffs(x) + __byte_perm(x, (uint32_t)z, 0x3210) + __umulhi(x, 77u)
         + __funnelshift_l(x, (uint32_t)z, x) + __dp4a((int)x, (int)z, 3) + __umul24(x, 9) + __usad(x, 5u, 7u) + (x & (uint32_t)z | ~x ^ 3u);
    b[i] = y / (n + 1) + y % 7 + (y >> (n & 63)) + __mul64hi(y, 12345678901ll) + __clzll(y) + __popcll(z);
    c[i] = z * (uint64_t)y + (z << (x & 63)) + (unsigned __int128)(z) * (unsigned __int128)(z + 3) / 7;
}
extern "C" __global__ void switches(int* a, int n) {
    int v = a[threadIdx.x];
    switch (v) { case 0: v = n; break; case 1: v *= 3; break; case 2: v ^= 5; break; case 3: v -= n; break; case 4: v = v << n; break; case 5: v = -v; break; case 6: v = n / 3; break; case 7: v = 9; break; default: v = 1; }
    a[threadIdx.x] = v;
}
