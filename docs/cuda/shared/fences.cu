// Two blocks of 32 threads: the first sends 32 numbers to the second. `flag` is 0 at first.
__global__ void fence_device(const int* input, int* letter, int* output, volatile int* flag) {
    int lane = threadIdx.x;
    if (blockIdx.x == 0) {
        letter[lane] = input[lane];
        __syncwarp();
        if (lane == 0) {
            __threadfence();  // the letter before the flag
            atomicExch((int*)flag, 1);
        }
    } else {
        if (lane == 0) {
            while (atomicAdd((int*)flag, 0) == 0) {
            }
            __threadfence();  // the flag before the letter
        }
        __syncwarp();
        output[31 - lane] = letter[lane];
    }
}
