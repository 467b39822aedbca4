__global__ void heat_tiled(const float* from, float* to, int nx, int ny) {  // blocks of 32 x 8 threads
    __shared__ float tile[8 + 2][32 + 2];
    int left = blockIdx.x * 32, top = blockIdx.y * 8;
    for (int i = threadIdx.y * 32 + threadIdx.x; i < 10 * 34; i += 32 * 8) {
        int x = left + i % 34 - 1, y = top + i / 34 - 1;
        tile[i / 34][i % 34] = 0 <= x && x < nx && 0 <= y && y < ny ? from[y * nx + x] : 0.0f;
    }
    __syncthreads();
    int x = left + threadIdx.x, y = top + threadIdx.y, column = threadIdx.x + 1, row = threadIdx.y + 1;
    if (x >= nx || y >= ny) return;
    bool is_edge = x == 0 || y == 0 || x + 1 == nx || y + 1 == ny;
    float sum = (tile[row - 1][column] + tile[row + 1][column]) + (tile[row][column - 1] + tile[row][column + 1]);
    to[y * nx + x] = is_edge ? tile[row][column] : sum * 0.25f;
}
