__global__ void reduce_neighbored_less(int* data, int* sums, int n) {
    int* part = data + blockIdx.x * blockDim.x;
    int length = min((int)blockDim.x, n - (int)(blockIdx.x * blockDim.x));
    for (int stride = 1; stride < blockDim.x; stride *= 2) {
        int left = 2 * stride * threadIdx.x;  // reduce_neighbored: threads that are multiples of 2 * stride
        if (left + stride < length) part[left] += part[left + stride];
        __syncthreads();
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}
