#include <cstdio>

__global__ void hello_world() { printf("Hello World from GPU! block %d thread %d\n", blockIdx.x, threadIdx.x); }
