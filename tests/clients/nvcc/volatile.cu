// Kernels that take `volatile` for synchronisation, and their right twins. One block of 256 threads,
// two where the name begins with `blocks`.

constexpr int N = 256;

__device__ int neighbour(int t, int by) { return (t + by) % N; }

extern "C" {

// The last 64 sums are one warp's, which needs its barriers all the same.
__global__ void reduce_wrong(int *out, const int *in) {
    __shared__ volatile int sums[N];
    int t = threadIdx.x;
    sums[t] = in[t];
    __syncthreads();
    for (int half = N / 2; half > 32; half /= 2) {
        if (t < half) sums[t] += sums[t + half];
        __syncthreads();
    }
    if (t < 32)
        for (int half = 32; half > 0; half /= 2) sums[t] += sums[t + half];
    if (t == 0) out[0] = sums[0];
}

__global__ void reduce_right(int *out, const int *in) {
    __shared__ volatile int sums[N];
    int t = threadIdx.x;
    sums[t] = in[t];
    __syncthreads();
    for (int half = N / 2; half >= 32; half /= 2) {
        if (t < half) sums[t] += sums[t + half];
        __syncthreads();
    }
    if (t < 32)
        for (int half = 16; half > 0; half /= 2) {
            int sum = sums[t] + (t < half ? sums[t + half] : 0);
            __syncwarp();
            sums[t] = sum;
            __syncwarp();
        }
    if (t == 0) out[0] = sums[0];
}

__global__ void scan_wrong(int *out, const int *in) {
    __shared__ volatile int sums[64];
    int t = threadIdx.x;
    if (t >= 32) return;
    sums[t] = 0;
    sums[t + 32] = in[t];
    for (int by = 1; by < 32; by *= 2) sums[t + 32] += sums[t + 32 - by];
    out[t] = sums[t + 32];
}

__global__ void scan_right(int *out, const int *in) {
    __shared__ volatile int sums[64];
    int t = threadIdx.x;
    if (t >= 32) return;
    sums[t] = 0;
    sums[t + 32] = in[t];
    __syncwarp();
    for (int by = 1; by < 32; by *= 2) {
        int sum = sums[t + 32] + sums[t + 32 - by];
        __syncwarp();
        sums[t + 32] = sum;
        __syncwarp();
    }
    out[t] = sums[t + 32];
}

__global__ void reverse_wrong(int *out, const int *in) {
    __shared__ volatile int tile[N];
    tile[threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x] = tile[N - 1 - threadIdx.x];
}

__global__ void reverse_right(int *out, const int *in) {
    __shared__ volatile int tile[N];
    tile[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[N - 1 - threadIdx.x];
}

// The next round writes what this round still reads.
__global__ void rounds_wrong(int *out, const int *in) {
    __shared__ volatile int tile[N];
    int sum = 0;
    for (int round = 0; round < 4; round++) {
        tile[threadIdx.x] = in[threadIdx.x] + round;
        __syncthreads();
        sum += tile[neighbour(threadIdx.x, 64)];
    }
    out[threadIdx.x] = sum;
}

__global__ void rounds_right(int *out, const int *in) {
    __shared__ volatile int tile[N];
    int sum = 0;
    for (int round = 0; round < 4; round++) {
        tile[threadIdx.x] = in[threadIdx.x] + round;
        __syncthreads();
        sum += tile[neighbour(threadIdx.x, 64)];
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}

__global__ void histogram_wrong(int *out, const int *in) {
    __shared__ volatile int bins[16];
    if (threadIdx.x < 16) bins[threadIdx.x] = 0;
    __syncthreads();
    bins[in[threadIdx.x] & 15] += 1;
    __syncthreads();
    if (threadIdx.x < 16) out[threadIdx.x] = bins[threadIdx.x];
}

__global__ void histogram_right(int *out, const int *in) {
    __shared__ int bins[16];
    if (threadIdx.x < 16) bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[in[threadIdx.x] & 15], 1);
    __syncthreads();
    if (threadIdx.x < 16) out[threadIdx.x] = *(volatile int *)&bins[threadIdx.x];
}

__global__ void broadcast_wrong(int *out, const int *in) {
    __shared__ volatile int value;
    if (threadIdx.x == 0) value = in[0];
    out[threadIdx.x] = value;
}

__global__ void broadcast_right(int *out, const int *in) {
    __shared__ volatile int value;
    if (threadIdx.x == 0) value = in[0];
    __syncthreads();
    out[threadIdx.x] = value;
}

__global__ void everybody_writes_wrong(int *out, const int *in) {
    __shared__ volatile int value;
    value = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = value;
}

__global__ void blocks_count_wrong(int *out, const int *in) {
    volatile int *counter = out;
    counter[0] = counter[0] + 1;
}

__global__ void blocks_count_right(int *out, const int *in) { atomicAdd(out, 1); }

__global__ void blocks_neighbour_wrong(int *out, const int *in) {
    volatile int *values = out;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    values[i] = in[i];
    if (i > 0) out[2 * N + i] = values[i - 1];
}

// The flag is looked at once: it may be set in time, or not.
__global__ void blocks_flag_wrong(int *out, const int *in) {
    volatile int *flag = out, *value = out + 1;
    if (threadIdx.x > 0) return;
    if (blockIdx.x == 0) {
        *value = 42;
        *flag = 1;
    } else if (*flag == 1) {
        out[2] = *value;
    }
}

// A flag that is polled is what `volatile` is used for, with fences around it.
__global__ void blocks_flag_right(int *out, const int *in) {
    volatile int *flag = out, *value = out + 1;
    if (threadIdx.x > 0) return;
    if (blockIdx.x == 0) {
        *value = 42;
        __threadfence();
        *flag = 1;
    } else {
        while (*flag == 0) {}
        __threadfence();
        out[2] = *value;
    }
}

__global__ void warps_flag_right(int *out, const int *in) {
    __shared__ volatile int flag, value;
    if (threadIdx.x == 0) flag = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        value = 42;
        __threadfence_block();
        flag = 1;
    }
    if (threadIdx.x == 32) {
        while (flag == 0) {}
        __threadfence_block();
        out[0] = value;
    }
}

}
