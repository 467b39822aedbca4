#include <cub/cub.cuh>

__global__ void block_scan(const int* input, int* sums, int n) {
    using Scan = cub::BlockScan<int, 256>;
    __shared__ typename Scan::TempStorage storage;  // Lanewise's collectives have their own
    int i = blockIdx.x * 256 + threadIdx.x, sum;
    Scan(storage).InclusiveSum(i < n ? input[i] : 0, sum);
    if (i < n) sums[i] = sum;
}
