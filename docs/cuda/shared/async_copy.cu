#include <cuda_pipeline.h>

// Copies without registers: the next tile is on its way while this one is used. A thread copies the
// element of another, so a barrier is between the copy and the use.
__global__ void __launch_bounds__(256) copy_async_pipeline(const float* input, float* output, int n) {
    __shared__ float tiles[2][256];
    int step = gridDim.x * 256, start = blockIdx.x * 256, other = 255 - threadIdx.x, stage = 0;
    auto fetch = [&](int stage, int start) {
        if (start + other < n) __pipeline_memcpy_async(&tiles[stage][other], input + start + other, sizeof(float));
        __pipeline_commit();
    };
    fetch(0, start);
    for (; start < n; start += step, stage ^= 1) {
        fetch(stage ^ 1, start + step);
        __pipeline_wait_prior(1);  // all but the youngest have arrived
        __syncthreads();
        if (start + threadIdx.x < n) output[start + threadIdx.x] = tiles[stage][threadIdx.x];
        __syncthreads();  // before the next copies overwrite it
    }
}
