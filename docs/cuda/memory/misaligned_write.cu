__global__ void write_offset(const float* a, const float* b, float* c, int n, int offset) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + offset < n) c[i + offset] = a[i] + b[i];
}
