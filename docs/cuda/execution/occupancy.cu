// At most 1024 threads a block, and at least two such blocks on a multiprocessor: 32 registers a thread.
__global__ void __launch_bounds__(1024, 2) stir_bounded(unsigned* output, unsigned rounds, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned numbers[32], next = i;
    for (unsigned& number : numbers) {
        number = next;
        next = next * 1664525u + 1013904223u;
    }
    for (unsigned round = 0; round < rounds; ++round) {
        unsigned left = numbers[31];
        for (unsigned& number : numbers) number = left ^= number * 5u;
    }
    unsigned sum = 0;
    for (unsigned number : numbers) sum += number;
    output[i] = sum;
}
