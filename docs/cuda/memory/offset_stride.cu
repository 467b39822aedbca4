__global__ void offset_copy(const float* input, float* output, int n, int offset) {
    int i = blockIdx.x * blockDim.x + threadIdx.x + offset;
    if (i < n) output[i] = input[i];
}

__global__ void stride_copy(const float* input, float* output, int n, int stride) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * stride;
    if (i < n) output[i] = input[i];
}
