#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

__global__ void atomic_per_warp(const int* input, int* total, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int sum = cg::reduce(warp, i < n ? input[i] : 0, cg::plus<int>());
    if (warp.thread_rank() == 0) atomicAdd(total, sum);
}
