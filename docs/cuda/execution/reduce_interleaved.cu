__global__ void reduce_interleaved(int* data, int* sums, int n) {
    int* part = data + blockIdx.x * blockDim.x;
    int length = min((int)blockDim.x, n - (int)(blockIdx.x * blockDim.x));
    for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {  // blockDim.x is a power of two
        if (threadIdx.x < stride && threadIdx.x + stride < length) part[threadIdx.x] += part[threadIdx.x + stride];
        __syncthreads();
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}
