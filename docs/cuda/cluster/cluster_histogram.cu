#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// The bins are shared out to the blocks of a cluster; each has `each` of them in its shared memory.
__global__ void __cluster_dims__(4) cluster_histogram(const int* input, unsigned* bins, int n, int each) {
    extern __shared__ unsigned own[];
    auto cluster = cg::this_cluster();
    for (int i = threadIdx.x; i < each; i += blockDim.x) own[i] = 0;
    cluster.sync();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned* counters = cluster.map_shared_rank(own, input[i] / each);
        atomicAdd(counters + input[i] % each, 1);
    }
    cluster.sync();
    for (int i = threadIdx.x; i < each; i += blockDim.x) atomicAdd(bins + cluster.block_rank() * each + i, own[i]);
}
