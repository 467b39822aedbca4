__global__ void gather_scattered(const float* input, float* output, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) output[i] = input[(size_t)i * 1031 % n];  // a sector for each lane
}
