__global__ void worker_partitioned(const int* a, const int* b, int* c, int n) {
    if (threadIdx.x % 32 != 0) return;  // a worker is a warp, and one of its lanes works
    int warps = gridDim.x * blockDim.x / 32;
    for (int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32; i < n; i += warps) c[i] = a[i] + b[i];
}

__global__ void vector_partitioned(const int* a, const int* b, int* c, int n) {
    int threads = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) c[i] = a[i] + b[i];
}
