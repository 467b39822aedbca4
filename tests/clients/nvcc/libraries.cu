// What programs take from NVIDIA's libraries: CUB's block and warp primitives, libcu++'s barriers and pipelines, cooperative groups.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>
#include <cuda/barrier>
#include <cuda/pipeline>

namespace cg = cooperative_groups;

constexpr int THREADS = 128;

extern "C" __global__ void cub_block(const int *in, int *sums, int *scans, int *sorted) {
    using Reduce = cub::BlockReduce<int, THREADS>;
    using Scan = cub::BlockScan<int, THREADS>;
    using Sort = cub::BlockRadixSort<int, THREADS, 2>;
    __shared__ union {
        Reduce::TempStorage reduce;
        Scan::TempStorage scan;
        Sort::TempStorage sort;
    } storage;
    int at = blockIdx.x * THREADS + threadIdx.x, value = in[at];
    int sum = Reduce(storage.reduce).Sum(value);
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
    __syncthreads();
    Scan(storage.scan).InclusiveSum(value, scans[at]);
    __syncthreads();
    int keys[2] = {value, value * 7919 % 1000};
    Sort(storage.sort).Sort(keys);
    sorted[2 * at] = keys[0];
    sorted[2 * at + 1] = keys[1];
}

extern "C" __global__ void cub_warp(const float *in, float *sums, float *scans) {
    using Reduce = cub::WarpReduce<float>;
    using Scan = cub::WarpScan<float, 16>;
    __shared__ Reduce::TempStorage reduce[THREADS / 32];
    __shared__ Scan::TempStorage scan[THREADS / 16];
    float value = in[threadIdx.x];
    float sum = Reduce(reduce[threadIdx.x / 32]).Sum(value);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
    Scan(scan[threadIdx.x / 16]).ExclusiveSum(value, scans[threadIdx.x]);
}

// Each half of the block fills what the other reads, in turns.
extern "C" __global__ void barriers(int *out, int rounds) {
    using barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ barrier full, empty;
    __shared__ int box[THREADS / 2];
    if (threadIdx.x == 0) {
        init(&full, THREADS);
        init(&empty, THREADS);
    }
    __syncthreads();
    int lane = threadIdx.x % (THREADS / 2), sum = 0;
    if (threadIdx.x < THREADS / 2) {
        for (int round = 0; round < rounds; round++) {
            if (round) empty.arrive_and_wait();
            box[lane] = round * 1000 + lane;
            (void)full.arrive();
        }
    } else {
        for (int round = 0; round < rounds; round++) {
            full.arrive_and_wait();
            sum += box[THREADS / 2 - 1 - lane];
            if (round + 1 < rounds) (void)empty.arrive();
        }
        out[lane] = sum;
    }
}

// Two stages of copies under way.
extern "C" __global__ void pipelines(const int4 *in, int *out, int batches) {
    constexpr int STAGES = 2;
    __shared__ int4 tile[STAGES][THREADS];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    int sum = 0;
    for (int fetch = 0, batch = 0; batch < batches; batch++) {
        for (; fetch < batches && fetch < batch + STAGES; fetch++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, tile[fetch % STAGES], in + fetch * THREADS, cuda::aligned_size_t<16>(sizeof(tile[0])), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        int4 other = tile[batch % STAGES][THREADS - 1 - threadIdx.x];
        sum += other.x + 2 * other.y + 3 * other.z + 4 * other.w;
        pipe.consumer_release();
    }
    out[threadIdx.x] = sum;
}

// Tiles of a warp, of several warps, those that took one branch, and the whole grid.
extern "C" __global__ void groups(const int *in, int *tiles, int *wide, int *some, int *total) {
    auto block = cg::this_thread_block();
    auto grid = cg::this_grid();
    int at = grid.thread_rank(), value = in[at];
    auto tile = cg::tiled_partition<8>(block);
    tiles[2 * at] = cg::reduce(tile, value, cg::plus<int>());
    tiles[2 * at + 1] = cg::exclusive_scan(tile, value, cg::plus<int>());
    __shared__ cg::block_tile_memory<THREADS> memory;
    auto two = cg::tiled_partition<64>(cg::this_thread_block(memory));
    wide[at] = cg::reduce(two, value, cg::greater<int>());
    two.sync();
    some[at] = 0;
    if (value % 3 == 0) {
        auto together = cg::coalesced_threads();
        some[at] = together.size() * 100 + together.thread_rank();
    }
    if (at == 0) *total = 0;
    grid.sync();
    atomicAdd(total, value);
    grid.sync();
    if (*total % 2) atomicAdd(&tiles[2 * at], 1000);
}
