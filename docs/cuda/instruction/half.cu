#include <cuda_fp16.h>

__global__ void axpy_half2(const __half2* x, __half2* y, __half a, int pairs) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < pairs) y[i] = __hfma2(__half2half2(a), x[i], y[i]);  // two elements an instruction
}
