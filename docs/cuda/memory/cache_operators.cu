__global__ void copy_cached_or_not(const float* input, float* cached, float* uncached, float* read_only, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    cached[i] = __ldca(input + i);     // L1 and L2
    uncached[i] = __ldcg(input + i);   // L2 only
    read_only[i] = __ldg(input + i);   // nothing writes it in this kernel; `const float* __restrict__` says the same
}
