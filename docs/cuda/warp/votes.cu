__global__ void votes(const int* input, unsigned* ballots, int* all, unsigned* matches) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool is_even = input[i] % 2 == 0;
    ballots[i] = __ballot_sync(0xffffffff, is_even);          // a bit for each lane
    all[i] = __all_sync(0xffffffff, is_even);
    matches[i] = __match_any_sync(0xffffffff, input[i]);      // the lanes with the same value
}
