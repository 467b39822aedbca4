// cudaMallocPitch and cudaMalloc3D give the pitch, in bytes.
__global__ void scale_pitched_3d(char* data, size_t pitch, int nx, int ny, int nz, float factor) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < nx && y < ny && z < nz) {
        float* row = (float*)(data + ((size_t)z * ny + y) * pitch);
        row[x] *= factor;
    }
}
