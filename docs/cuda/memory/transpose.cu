__global__ void transpose_naive_row(const float* input, float* output, int nx, int ny) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < nx && y < ny) output[x * ny + y] = input[y * nx + x];
}

__global__ void transpose_naive_col(const float* input, float* output, int nx, int ny) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < ny && y < nx) output[y * ny + x] = input[x * nx + y];
}
