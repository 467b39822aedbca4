__global__ void reduce_unroll_warps8(int* data, int* sums) {  // n is a multiple of 8 * blockDim.x
    int thread = threadIdx.x;
    int* part = data + blockIdx.x * blockDim.x * 8;
    int sum = 0;
#pragma unroll
    for (int k = 0; k < 8; ++k) sum += part[thread + k * blockDim.x];
    part[thread] = sum;
    __syncthreads();
    for (int stride = blockDim.x / 2; stride > 32; stride /= 2) {
        if (thread < stride) part[thread] += part[thread + stride];
        __syncthreads();
    }
    if (thread >= 32) return;
#pragma unroll
    for (int stride = 32; stride > 0; stride /= 2) {
        int other = part[thread + stride];
        __syncwarp();
        if (thread < stride) part[thread] += other;
        __syncwarp();  // since Volta, `volatile` in its place is a data race
    }
    if (thread == 0) sums[blockIdx.x] = part[0];
}
