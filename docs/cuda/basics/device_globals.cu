#include <cstdio>

__device__ float value;
__constant__ float table[256];

__global__ void bump_global() {
    float found = atomicAdd(&value, 2.0f);
    printf("Device: the value of the global variable is %f\n", found);
}

__global__ void read_constant_table(float* output, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) output[i] = table[i % 256];
}
