__global__ void read_offset(const float* a, const float* b, float* c, int n, int offset) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + offset < n) c[i] = a[i + offset] + b[i + offset];
}

__global__ void read_offset_unroll4(const float* a, const float* b, float* c, int n, int offset) {
    int i = blockIdx.x * blockDim.x * 4 + threadIdx.x;
#pragma unroll
    for (int k = 0; k < 4; ++k, i += blockDim.x) {
        if (i + offset < n) c[i] = a[i + offset] + b[i + offset];
    }
}
