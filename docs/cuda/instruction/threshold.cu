#include <cuda/atomic>

__global__ void check_threshold_atomic(const int* values, int threshold, int* flag, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && values[i] > threshold) {  // check_threshold: *flag = 1, a benign race to many, undefined in C++
        cuda::atomic_ref<int, cuda::thread_scope_device>(*flag).store(1, cuda::memory_order_relaxed);
    }
}
