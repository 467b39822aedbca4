// nvcc -rdc=true
#include <cstdio>

__global__ void nested_hello_world(int depth) {
    printf("Recursion=%d: Hello World from thread %d block %d\n", depth, threadIdx.x, blockIdx.x);
    int half = blockDim.x / 2;
    if (threadIdx.x == 0 && half > 0) {
        nested_hello_world<<<1, half>>>(depth + 1);
        printf("-------> nested execution depth: %d\n", depth + 1);
    }
}
