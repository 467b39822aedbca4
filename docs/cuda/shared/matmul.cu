__global__ void matmul_shared(const float* a, const float* b, float* c, int m, int n, int k) {
    __shared__ float tile_a[32][32], tile_b[32][32];
    int row = blockIdx.y * 32 + threadIdx.y;
    int column = blockIdx.x * 32 + threadIdx.x;
    float sum = 0.0f;
    for (int start = 0; start < k; start += 32) {
        int inner_a = start + threadIdx.x, inner_b = start + threadIdx.y;
        tile_a[threadIdx.y][threadIdx.x] = row < m && inner_a < k ? a[row * k + inner_a] : 0.0f;
        tile_b[threadIdx.y][threadIdx.x] = inner_b < k && column < n ? b[inner_b * n + column] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 32; ++i) sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
        __syncthreads();
    }
    if (row < m && column < n) c[row * n + column] = sum;
}
