// Warp and cluster forms: shuffles, votes, matches, reductions, matrices, barriers, clusters.
#include <cooperative_groups.h>
#include <mma.h>
#include <cuda/barrier>
namespace cg = cooperative_groups;
extern "C" __global__ void warps(int* a, unsigned* m) {
    int t = threadIdx.x, x = a[t];
    x += __shfl_sync(~0u, x, 3) + __shfl_up_sync(~0u, x, 1) + __shfl_down_sync(~0u, x, 2, 16) + __shfl_xor_sync(~0u, x, 4);
    m[t] = __ballot_sync(~0u, x > 3) + __match_any_sync(~0u, x) + __activemask() + __reduce_add_sync(~0u, x) + __reduce_or_sync(~0u, x);
    int p; m[t] += __match_all_sync(~0u, x, &p) + p + __all_sync(~0u, x > 0) + __any_sync(~0u, x < 0); __syncwarp(); __nanosleep(20);
    a[t] = x + clock() + (int)clock64() + (int)__isShared(a) + cg::this_grid().thread_rank();
}
extern "C" __global__ void matrices(const half* a, const half* b, float* c) {
    using namespace nvcuda::wmma; fragment<matrix_a, 16, 16, 16, half, row_major> fa; fragment<matrix_b, 16, 16, 16, half, col_major> fb; fragment<accumulator, 16, 16, 16, float> fc;
    fill_fragment(fc, 0.f); load_matrix_sync(fa, a, 16); load_matrix_sync(fb, b, 16); mma_sync(fc, fa, fb, fc); store_matrix_sync(c, fc, 16, mem_row_major);
    unsigned r[4]; asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(threadIdx.x * 16));
    float d[4] = {0}; asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[0]), "r"(r[1])); c[threadIdx.x] = d[0];
}
#if __CUDA_ARCH__ >= 900
extern "C" __global__ void __cluster_dims__(2, 1, 1) clusters(int* out) {
    __shared__ int s[32]; cg::cluster_group c = cg::this_cluster(); s[threadIdx.x & 31] = threadIdx.x; c.sync();
    int* other = c.map_shared_rank(s, c.block_rank() ^ 1); out[threadIdx.x] = other[threadIdx.x & 31]; c.sync();
}
extern "C" __global__ void barriers(int* out, const int* in) {
    __shared__ cuda::barrier<cuda::thread_scope_block> b; __shared__ alignas(16) int s[256]; if (threadIdx.x == 0) { init(&b, blockDim.x); cuda::device::experimental::fence_proxy_async_shared_cta(); } __syncthreads();
    if (threadIdx.x == 0) { cuda::device::experimental::cp_async_bulk_global_to_shared(s, in, sizeof(s), b); cuda::device::barrier_arrive_tx(b, 1, sizeof(s)); b.wait(b.arrive(0 + 1 - 1 + 1)); } out[threadIdx.x] = s[threadIdx.x];
}
#endif
