// Memory forms: every space, vectors, caches, atomics with scopes, printf, malloc, constants, asynchronous copies.
#include <cstdio>
#include <cuda/atomic>
#include <cuda_pipeline.h>
#include <cooperative_groups.h>
__constant__ float table[64] = {1, 2, 3};
__device__ int counter = 5;
__device__ int* where = &counter;
__device__ const char* words[2] = {"one", "two"};
__managed__ float managed_value = 1.5f;
extern __shared__ float dynamic[];
struct __align__(16) Pair { double a; int b; };
extern "C" __global__ void __launch_bounds__(256, 2) memory(float4* v, const float* __restrict__ r, float* out, Pair p, int n) {
    __shared__ float tile[32][33];
    int t = threadIdx.x; float4 x = v[t]; tile[t & 31][t >> 5] = x.x; dynamic[t] = __ldg(r + t) + __ldcg(r + t) + __ldcs(r + 2 * t) + table[n & 63];
    __syncthreads(); v[t + 1] = make_float4(tile[t >> 5][t & 31], x.y, x.z, dynamic[n]); __stcs(out + t, (float)p.a + p.b); __threadfence(); __threadfence_block(); __threadfence_system();
    volatile float* w = out; w[3] = w[4];
    float local[8]; for (int i = 0; i < n; i++) local[(i * 5) & 7] = r[i]; out[t] = local[n & 7] + managed_value; *where = __syncthreads_count(t < n) + __syncthreads_or(n);
}
extern "C" __global__ void atomics(int* a, unsigned* u, float* f, double* d, unsigned long long* l, unsigned short* s) {
    atomicAdd(a, 1); atomicMax(a + 1, 2); atomicCAS(a + 2, 3, 4); atomicExch(f, 1.f); atomicAdd(f + 1, 2.f); atomicAdd(d, 1.0); atomicInc(u, 7); atomicDec(u + 1, 9); atomicXor(u + 2, 5u);
    atomicAdd_block(a + 5, 1); atomicAdd_system(l, 3ull); atomicCAS(s, (unsigned short)1, (unsigned short)2); l[1] = atomicMin(l + 2, 9ull); u[5] = atomicInc(u + 6, 3);
    cuda::atomic_ref<int, cuda::thread_scope_device> r(a[6]); r.store(r.load(cuda::memory_order_acquire) + 1, cuda::memory_order_release); r.fetch_add(2, cuda::memory_order_acq_rel); r.fetch_or(1);
    cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_system);
}
extern "C" __global__ void print(int n) { printf("%d %s\n", n, words[n & 1]); void* p = malloc(n); free(p); if (n < 0) __trap(); }
extern "C" __global__ void copy(const int4* g) { __shared__ int4 s[128]; __pipeline_memcpy_async(&s[threadIdx.x], g + threadIdx.x, 16); __pipeline_commit(); __pipeline_wait_prior(0); __syncthreads(); if (s[0].x == 12345) __trap(); }
typedef float (*Function)(float);
__device__ __noinline__ float twice(float x) { return 2 * x; }
__device__ __noinline__ float half_of(float x) { return x / 2; }
__device__ Function functions[2] = {twice, half_of};
extern "C" __global__ void calls(float* a, int n) { a[threadIdx.x] = functions[n & 1](a[threadIdx.x]) + twice(3.f); }
