#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// A cluster of four blocks of 32 threads adds what its blocks have.
__global__ void __cluster_dims__(4) cluster_sync_sum(const int* input, int* sums) {
    __shared__ int block_sum;
    auto cluster = cg::this_cluster();
    int sum = __reduce_add_sync(0xffffffff, input[blockIdx.x * 32 + threadIdx.x]);
    if (threadIdx.x == 0) block_sum = sum;
    cluster.sync();  // the first block reads below what every block set above
    if (cluster.thread_rank() == 0) {
        sum = 0;
        for (int rank = 0; rank < 4; ++rank) sum += *cluster.map_shared_rank(&block_sum, rank);
        sums[blockIdx.x / 4] = sum;
    }
    cluster.sync();  // no block ends while its shared memory is read
}
