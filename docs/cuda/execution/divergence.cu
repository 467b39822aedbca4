__global__ void diverge_by_thread(unsigned* output, unsigned steps, int n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned x = i;
    if (i % 2 == 0) {  // by warp: i / warpSize % 2
        for (unsigned k = 0; k < steps; ++k) x = x * 1664525u + 1013904223u;
    } else {
        for (unsigned k = 0; k < steps; ++k) {
            x ^= x << 13;
            x ^= x >> 17;
            x ^= x << 5;
        }
    }
    output[i] = x;
}
