template <int UNROLL>
__device__ void unrolled(int* data, int* sums) {  // n is a multiple of UNROLL * blockDim.x, a power of two
    int* part = data + blockIdx.x * blockDim.x * UNROLL;
    int sum = 0;
#pragma unroll
    for (int k = 0; k < UNROLL; ++k) sum += part[threadIdx.x + k * blockDim.x];
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (threadIdx.x < stride) part[threadIdx.x] += part[threadIdx.x + stride];
        __syncthreads();
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}

__global__ void reduce_unrolling8(int* data, int* sums) { unrolled<8>(data, sums); }
