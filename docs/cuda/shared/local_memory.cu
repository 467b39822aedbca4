__global__ void local_array_dynamic(const unsigned* input, unsigned* counts, int n) {
    unsigned bins[32] = {};  // indexed by what was read, so it is in local memory
    int threads = gridDim.x * blockDim.x, thread = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = thread; i < n; i += threads) ++bins[input[i] >> 27];
    for (int bin = 0; bin < 32; ++bin) counts[bin * threads + thread] = bins[bin];
}

__global__ void local_array_static(const unsigned* input, unsigned* counts, int n) {
    unsigned bins[32] = {};  // each index is known, so it is in registers
    int threads = gridDim.x * blockDim.x, thread = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = thread; i < n; i += threads) {
#pragma unroll
        for (int bin = 0; bin < 32; ++bin) bins[bin] += input[i] >> 27 == bin;
    }
#pragma unroll
    for (int bin = 0; bin < 32; ++bin) counts[bin * threads + thread] = bins[bin];
}
