__global__ void mat_add_2d_2d(const float* a, const float* b, float* c, int nx, int ny) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < nx && y < ny) c[y * nx + x] = a[y * nx + x] + b[y * nx + x];
}
