struct Point {
    float x, y;
};
struct __align__(8) AlignedPoint {  // one access of 8 bytes
    float x, y;
};

__global__ void aos_update(const Point* points, Point* moved, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) moved[i] = {points[i].x + 10.0f, points[i].y + 20.0f};
}

__global__ void soa_update(const float* x, const float* y, float* moved_x, float* moved_y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        moved_x[i] = x[i] + 10.0f;
        moved_y[i] = y[i] + 20.0f;
    }
}
