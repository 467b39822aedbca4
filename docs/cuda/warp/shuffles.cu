__global__ void shuffles(const int* input, int* broadcast, int* up, int* down, int* exchanged) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = input[i];
    broadcast[i] = __shfl_sync(0xffffffff, value, 2, 16);      // lane 2 of each 16
    up[i] = __shfl_up_sync(0xffffffff, value, 2, 16);          // two lanes below
    down[i] = __shfl_down_sync(0xffffffff, value, 2, 16);      // two lanes above
    exchanged[i] = __shfl_xor_sync(0xffffffff, value, 1, 16);  // the neighbour
}
