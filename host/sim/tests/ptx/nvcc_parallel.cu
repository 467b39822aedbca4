// What CUDA C++'s libraries make of matrices, pipelines, barriers, clusters and groups: one kernel for each, checked by numbers.
// nvcc -arch=sm_90 -std=c++17 -ptx; `tests/machine/compiled.rs` runs it.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/ptx>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
namespace cg = cooperative_groups;
using namespace nvcuda;
using block_barrier = cuda::barrier<cuda::thread_scope_block>;

// c = a * b, 64 by 64 by 64; a by rows, b by columns; each of 16 warps has a tile of 16 by 16.
extern "C" __global__ void wmma_product(const half* a, const half* b, float* c) {
    int warp = threadIdx.x / 32, row = warp / 4 * 16, column = warp % 4 * 16;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 0.0f);
    for (int k = 0; k < 64; k += 16) {
        wmma::load_matrix_sync(fa, a + row * 64 + k, 64);
        wmma::load_matrix_sync(fb, b + column * 64 + k, 64);
        wmma::mma_sync(fc, fa, fb, fc);
    }
    for (int i = 0; i < fc.num_elements; i++) fc.x[i] = fc.x[i] * 2.0f;
    wmma::store_matrix_sync(c + row * 64 + column, fc, 64, wmma::mem_row_major);
}

// The same with ldmatrix and mma.sync: b by rows, transposed on the way; rows of shared memory are swizzled.
__device__ int swizzled(int row, int column) { return row * 64 + ((column / 8) ^ (row % 8)) * 8 + column % 8; }
extern "C" __global__ void mma_product(const half* a, const half* b, float* c) {
    __shared__ alignas(16) half sa[64 * 64], sb[64 * 64];
    for (int i = threadIdx.x * 8; i < 64 * 64; i += blockDim.x * 8) {
        unsigned ta = __cvta_generic_to_shared(sa + swizzled(i / 64, i % 64)), tb = __cvta_generic_to_shared(sb + swizzled(i / 64, i % 64));
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(ta), "l"(a + i));
        asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(tb), "l"(b + i));
    }
    asm volatile("cp.async.commit_group;\n cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, row = warp / 2 * 16, half_column = warp % 2 * 32;
    float d[4][4] = {};
    for (int k = 0; k < 64; k += 16) {
        unsigned x[4], at = __cvta_generic_to_shared(sa + swizzled(row + lane % 16, k + lane / 16 * 8));
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3]) : "r"(at));
        for (int n = 0; n < 4; n++) {
            unsigned y[2], bt = __cvta_generic_to_shared(sb + swizzled(k + lane % 16, half_column + n * 8));
            asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" : "=r"(y[0]), "=r"(y[1]) : "r"(bt));
            asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                         : "+f"(d[n][0]), "+f"(d[n][1]), "+f"(d[n][2]), "+f"(d[n][3])
                         : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
        }
    }
    for (int n = 0; n < 4; n++)
        for (int i = 0; i < 4; i++) c[(row + lane / 4 + i / 2 * 8) * 64 + half_column + n * 8 + lane % 4 * 2 + i % 2] = d[n][i];
}

// Sums of batches that a pipeline of two stages brings in.
extern "C" __global__ void pipelined_sum(const int* in, int batches, int* out) {
    auto block = cg::this_thread_block();
    __shared__ int stage[2][128];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto pipeline = cuda::make_pipeline(block, &state);
    int sum = 0;
    pipeline.producer_acquire();
    cuda::memcpy_async(block, stage[0], in, sizeof(int) * 128, pipeline);
    pipeline.producer_commit();
    for (int i = 1; i <= batches; i++) {
        if (i < batches) {
            pipeline.producer_acquire();
            cuda::memcpy_async(block, stage[i % 2], in + i * 128, sizeof(int) * 128, pipeline);
            pipeline.producer_commit();
        }
        pipeline.consumer_wait();
        sum += stage[(i - 1) % 2][127 - threadIdx.x];
        pipeline.consumer_release();
    }
    out[threadIdx.x] = sum;
}

// Half of the warps produce, half consume; two barriers for each of two stages.
extern "C" __global__ void specialised(const int* in, int batches, int* out) {
    __shared__ int stage[2][64];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ block_barrier full[2], empty[2];
    if (threadIdx.x < 4) init(threadIdx.x < 2 ? &full[threadIdx.x] : &empty[threadIdx.x - 2], 128);
    __syncthreads();
    int t = threadIdx.x % 64;
    if (threadIdx.x < 64) {
        for (int i = 0; i < batches; i++) {
            empty[i % 2].arrive_and_wait();
            stage[i % 2][t] = in[i * 64 + t] * 3;
            block_barrier::arrival_token token = full[i % 2].arrive();
            (void)token;
        }
    } else {
        int sum = 0;
        (void)empty[0].arrive();
        (void)empty[1].arrive();
        for (int i = 0; i < batches; i++) {
            full[i % 2].arrive_and_wait();
            sum += stage[i % 2][63 - t];
            (void)empty[i % 2].arrive();
        }
        out[t] = sum;
    }
}

// Bytes in bulk: in by an mbarrier, doubled, out by a group.
extern "C" __global__ void bulk(const int* in, int* out) {
    __shared__ alignas(128) int buffer[256];
    __shared__ block_barrier bar;
    namespace ptx = cuda::ptx;
    if (threadIdx.x == 0) {
        init(&bar, blockDim.x);
        ptx::fence_proxy_async(ptx::space_shared);
    }
    __syncthreads();
    block_barrier::arrival_token token;
    if (threadIdx.x == 0) {
        cuda::memcpy_async(buffer, in + blockIdx.x * 256, cuda::aligned_size_t<16>(sizeof(buffer)), bar);
    }
    token = bar.arrive();
    bar.wait(std::move(token));
    buffer[threadIdx.x] *= 2;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + blockIdx.x * 256, buffer, sizeof(buffer));
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
}

// A histogram in the shared memory of a whole cluster.
extern "C" __global__ void __cluster_dims__(4, 1, 1) cluster_histogram(const unsigned* in, int n, unsigned* bins) {
    __shared__ unsigned part[16];
    auto cluster = cg::this_cluster();
    if (threadIdx.x < 16) part[threadIdx.x] = 0;
    cluster.sync();
    for (int i = cluster.thread_rank(); i < n; i += cluster.num_threads()) {
        unsigned bin = in[i] % 64;
        atomicAdd(cluster.map_shared_rank(part, bin / 16) + bin % 16, 1u);
    }
    cluster.sync();
    if (threadIdx.x < 16) atomicAdd(bins + cluster.block_rank() * 16 + threadIdx.x, part[threadIdx.x]);
}

// Groups: reductions and scans of tiles, of lanes that came together, and of lanes with one label.
extern "C" __global__ void groups(const int* in, int* out) {
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<16>(block);
    int t = threadIdx.x, v = in[t];
    out[t] = cg::reduce(tile, v, cg::plus<int>());
    out[128 + t] = cg::inclusive_scan(tile, v, cg::plus<int>());
    if (v & 1) {
        auto odd = cg::coalesced_threads();
        out[256 + t] = cg::reduce(odd, v, cg::greater<int>());
    }
    auto same = cg::labeled_partition(cg::tiled_partition<32>(block), v % 3);
    out[384 + t] = cg::reduce(same, v, cg::plus<int>()) * 100 + same.size();
    __shared__ block_barrier bar;
    if (t == 0) init(&bar, 128);
    block.sync();
    __shared__ int staged[128];
    cg::memcpy_async(block, staged, in, sizeof(staged));
    cg::wait(block);
    out[512 + t] = staged[t ^ 77];
}

// Atomics on halves.
extern "C" __global__ void half_sums(half2* h, __nv_bfloat162* b, half* one, __nv_bfloat16* other) {
    atomicAdd(h, __floats2half2_rn(1.0f, 2.0f));
    atomicAdd(b, __floats2bfloat162_rn(0.5f, -1.0f));
    atomicAdd(one, __float2half(1.0f));
    atomicAdd(other, __float2bfloat16(0.25f));
}

// A stack of a size that only the thread knows.
extern "C" __global__ void scratch(int* out) {
    int n = threadIdx.x + 1;
    int* words = (int*)alloca(n * sizeof(int));
    for (int i = 0; i < n; i++) words[i] = i * i;
    int sum = 0;
    for (int i = n - 1; i >= 0; i--) sum += words[(i * 7) % n];
    out[threadIdx.x] = sum;
}
