__global__ void transpose_smem_pad(const float* input, float* output, int nx, int ny) {
    __shared__ float tile[16][32 + 1];  // blocks of 32 x 16 threads
    int x = blockIdx.x * 32 + threadIdx.x;
    int y = blockIdx.y * 16 + threadIdx.y;
    if (x < nx && y < ny) tile[threadIdx.y][threadIdx.x] = input[y * nx + x];
    __syncthreads();
    int rank = threadIdx.y * 32 + threadIdx.x;
    int row = rank / 16, column = rank % 16;  // in the transposed tile, of 32 rows
    x = blockIdx.y * 16 + column;
    y = blockIdx.x * 32 + row;
    if (x < ny && y < nx) output[y * ny + x] = tile[column][row];
}
