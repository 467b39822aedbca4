__device__ float block_sum(float value) {
    __shared__ float warps[32];
    for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(0xffffffff, value, step);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x < 32) {
        value = threadIdx.x < blockDim.x / 32 ? warps[threadIdx.x] : 0.0f;
        for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(0xffffffff, value, step);
    }
    return value;  // of the whole block, in its first thread
}

__global__ void pi_partial(float* partials, int n) {
    float heights = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float x = (i + 0.5f) / n;
        heights += 4.0f / (1.0f + x * x);
    }
    float sum = block_sum(heights);
    if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}
