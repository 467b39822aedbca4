// nvcc -rdc=true
__global__ void recursive_reduce_nosync(int* data, int* sums, int length) {
    int* part = data + blockIdx.x * blockDim.x;
    int left = (length + 1) / 2;
    if (left + threadIdx.x < length) part[threadIdx.x] += part[left + threadIdx.x];
    if (threadIdx.x != 0) return;
    if (left == 1) {
        sums[blockIdx.x] = part[0];
    } else {  // begins when this grid has ended
        recursive_reduce_nosync<<<1, left, 0, cudaStreamTailLaunch>>>(part, sums + blockIdx.x, left);
    }
}
