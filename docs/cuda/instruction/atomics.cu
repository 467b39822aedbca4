__global__ void atomics(int* results, float* sum) {
    atomicAdd(&results[0], 1);
    atomicMax(&results[1], threadIdx.x);
    atomicOr(&results[2], 1 << threadIdx.x % 32);
    atomicInc((unsigned*)&results[3], 9);  // 0 after 9
    atomicAdd(sum, 0.5f);
}
