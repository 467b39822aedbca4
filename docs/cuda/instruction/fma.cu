__global__ void mul_add(const float* a, const float* b, const float* c, float* contracted, float* separate, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    contracted[i] = a[i] * b[i] + c[i];  // one fma, unless -fmad=false
    separate[i] = __fadd_rn(__fmul_rn(a[i], b[i]), c[i]);  // never contracted
}
