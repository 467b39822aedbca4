__device__ uint4 philox(uint4 counter, uint2 key) {
    for (int round = 0; round < 10; ++round) {
        if (round > 0) key = {key.x + 0x9e3779b9u, key.y + 0xbb67ae85u};
        unsigned high_x = __umulhi(0xd2511f53u, counter.x), low_x = 0xd2511f53u * counter.x;
        unsigned high_z = __umulhi(0xcd9e8d57u, counter.z), low_z = 0xcd9e8d57u * counter.z;
        counter = {high_z ^ counter.y ^ key.x, low_z, high_x ^ counter.w ^ key.y, low_x};
    }
    return counter;
}

__global__ void philox_bits(uint4* output, unsigned long long seed, unsigned long long stream, int n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    uint4 counter = {i, 0, (unsigned)stream, (unsigned)(stream >> 32)};
    if (i < n) output[i] = philox(counter, {(unsigned)seed, (unsigned)(seed >> 32)});
}
