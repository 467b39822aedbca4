__global__ void distance_partial_f32(const float* a, const float* b, float* partials, int n) {
    __shared__ float warps[32];
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += (a[i] - b[i]) * (a[i] - b[i]);
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x > 0) return;
    for (int warp = 1; warp < blockDim.x / 32; ++warp) sum += warps[warp];
    partials[blockIdx.x] = sum;  // the root of their sum is the distance
}
