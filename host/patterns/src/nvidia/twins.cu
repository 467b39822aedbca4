// The kernels in CUDA C++ that the benchmark times beside the catalog's. Their names are those of the variants, and their launches
// are theirs, too. They do no more than those sizes need that the benchmark has: multiples of a block, and of a tile.

extern "C" __global__ void vec_add(const float* a, const float* b, float* c, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

// Sums of a block's part, in place.

extern "C" __global__ void reduce_neighbored(int* data, int* sums, unsigned n) {
    unsigned thread = threadIdx.x;
    if (blockIdx.x * blockDim.x + thread >= n) return;
    int* part = data + blockIdx.x * blockDim.x;
    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        if (thread % (2 * stride) == 0) part[thread] += part[thread + stride];
        __syncthreads();
    }
    if (thread == 0) sums[blockIdx.x] = part[0];
}

extern "C" __global__ void reduce_neighbored_less(int* data, int* sums, unsigned n) {
    unsigned thread = threadIdx.x;
    if (blockIdx.x * blockDim.x + thread >= n) return;
    int* part = data + blockIdx.x * blockDim.x;
    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        unsigned left = 2 * stride * thread;
        if (left < blockDim.x) part[left] += part[left + stride];
        __syncthreads();
    }
    if (thread == 0) sums[blockIdx.x] = part[0];
}

template <unsigned UNROLL>
__device__ void halves(int* data, int* sums, unsigned n) {
    unsigned thread = threadIdx.x, first = blockIdx.x * blockDim.x * UNROLL + thread;
    if (UNROLL == 1 && first >= n) return;
    int* part = data + blockIdx.x * blockDim.x * UNROLL;
    if (UNROLL > 1 && first + (UNROLL - 1) * blockDim.x < n) {
        int sum = 0;
#pragma unroll
        for (unsigned k = 0; k < UNROLL; ++k) sum += data[first + k * blockDim.x];
        data[first] = sum;
    }
    if (UNROLL > 1) __syncthreads();
    for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (thread < stride) part[thread] += part[thread + stride];
        __syncthreads();
    }
    if (thread == 0) sums[blockIdx.x] = part[0];
}

extern "C" __global__ void reduce_interleaved(int* data, int* sums, unsigned n) { halves<1>(data, sums, n); }
extern "C" __global__ void reduce_unrolling2(int* data, int* sums, unsigned n) { halves<2>(data, sums, n); }
extern "C" __global__ void reduce_unrolling4(int* data, int* sums, unsigned n) { halves<4>(data, sums, n); }
extern "C" __global__ void reduce_unrolling8(int* data, int* sums, unsigned n) { halves<8>(data, sums, n); }

// Blocks of 512, whose last six steps are in memory, as books have them, with the barriers that Volta needs.
extern "C" __global__ void reduce_complete_unroll_512(int* data, int* sums, unsigned n) {
    unsigned thread = threadIdx.x, first = blockIdx.x * 4096 + thread;
    int* part = data + blockIdx.x * 4096;
    if (first + 7 * 512 < n) {
        int sum = 0;
#pragma unroll
        for (unsigned k = 0; k < 8; ++k) sum += data[first + k * 512];
        data[first] = sum;
    }
    __syncthreads();
#pragma unroll
    for (unsigned stride = 256; stride > 32; stride /= 2) {
        if (thread < stride) part[thread] += part[thread + stride];
        __syncthreads();
    }
    if (thread < 32) {
        volatile int* lanes = part;
        int sum = lanes[thread];
#pragma unroll
        for (unsigned stride = 32; stride > 0; stride /= 2) {
            sum += lanes[thread + stride];
            __syncwarp();
            lanes[thread] = sum;
            __syncwarp();
        }
    }
    if (thread == 0) sums[blockIdx.x] = part[0];
}

// In shared memory, with the last steps by shuffles.
extern "C" __global__ void reduce_smem_unroll4(const int* input, int* sums, unsigned n) {
    __shared__ int part[512];
    unsigned thread = threadIdx.x, first = blockIdx.x * blockDim.x * 4 + thread;
    int sum = 0;
    if (first + 3 * blockDim.x < n) {
#pragma unroll
        for (unsigned k = 0; k < 4; ++k) sum += input[first + k * blockDim.x];
    }
    part[thread] = sum;
    __syncthreads();
    for (unsigned stride = blockDim.x / 2; stride > 32; stride /= 2) {
        if (thread < stride) part[thread] += part[thread + stride];
        __syncthreads();
    }
    if (thread < 32) {
        sum = part[thread] + part[thread + 32];
        for (unsigned stride = 16; stride > 0; stride /= 2) sum += __shfl_down_sync(0xffffffff, sum, stride);
        if (thread == 0) sums[blockIdx.x] = sum;
    }
}

extern "C" __global__ void reduce_shfl(const int* __restrict__ input, int* sums, unsigned n) {
    __shared__ int warps[32];
    unsigned thread = threadIdx.x;
    int sum = 0;
    for (unsigned i = blockIdx.x * blockDim.x + thread; i < n; i += blockDim.x * gridDim.x) sum += input[i];
    for (unsigned lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_xor_sync(0xffffffff, sum, lanes);
    if (thread % 32 == 0) warps[thread / 32] = sum;
    __syncthreads();
    if (thread < 32) {
        sum = thread < blockDim.x / 32 ? warps[thread] : 0;
        for (unsigned lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_xor_sync(0xffffffff, sum, lanes);
        if (thread == 0) sums[blockIdx.x] = sum;
    }
}

// From a matrix of `ny` rows of `nx` elements to another one.

#define PLACE                                           \
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x; \
    unsigned y = blockIdx.y * blockDim.y + threadIdx.y

extern "C" __global__ void copy_row(const float* input, float* output, unsigned nx, unsigned ny) {
    PLACE;
    if (x < nx && y < ny) output[y * nx + x] = input[y * nx + x];
}

extern "C" __global__ void transpose_naive_row(const float* input, float* output, unsigned nx, unsigned ny) {
    PLACE;
    if (x < nx && y < ny) output[x * ny + y] = input[y * nx + x];
}

extern "C" __global__ void transpose_naive_col(const float* input, float* output, unsigned nx, unsigned ny) {
    PLACE;
    if (x < ny && y < nx) output[y * ny + x] = input[x * nx + y];
}

extern "C" __global__ void transpose_diagonal_row(const float* input, float* output, unsigned nx, unsigned ny) {
    unsigned x = blockDim.x * ((blockIdx.x + blockIdx.y) % gridDim.x) + threadIdx.x;
    unsigned y = blockDim.y * blockIdx.x + threadIdx.y;
    if (x < nx && y < ny) output[x * ny + y] = input[y * nx + x];
}

template <int PITCH>
__device__ void through_tile(const float* input, float* output, unsigned nx, unsigned ny) {
    __shared__ float tile[32][PITCH];
    unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
#pragma unroll
    for (unsigned k = 0; k < 32; k += 8)
        if (x < nx && y + k < ny) tile[threadIdx.y + k][threadIdx.x] = input[(y + k) * nx + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
#pragma unroll
    for (unsigned k = 0; k < 32; k += 8)
        if (x < ny && y + k < nx) output[(y + k) * ny + x] = tile[threadIdx.x][threadIdx.y + k];
}

extern "C" __global__ void transpose_smem(const float* input, float* output, unsigned nx, unsigned ny) {
    through_tile<32>(input, output, nx, ny);
}

extern "C" __global__ void transpose_smem_pad(const float* input, float* output, unsigned nx, unsigned ny) {
    through_tile<33>(input, output, nx, ny);
}

// Products of matrices of `n` rows and columns.

extern "C" __global__ void matmul_naive(const float* a, const float* b, float* c, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0.0f;
    for (int k = 0; k < n; ++k) sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}

template <int TILE>
__device__ void by_tiles(const float* a, const float* b, float* c, int n) {
    __shared__ float tile_of_a[TILE][TILE], tile_of_b[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    float sum = 0.0f;
    for (int start = 0; start < n; start += TILE) {
        tile_of_a[threadIdx.y][threadIdx.x] = a[y * n + start + threadIdx.x];
        tile_of_b[threadIdx.y][threadIdx.x] = b[(start + threadIdx.y) * n + x];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; ++k) sum += tile_of_a[threadIdx.y][k] * tile_of_b[k][threadIdx.x];
        __syncthreads();
    }
    c[y * n + x] = sum;
}

extern "C" __global__ void matmul_shared_16(const float* a, const float* b, float* c, int n) { by_tiles<16>(a, b, c, n); }
extern "C" __global__ void matmul_shared_32(const float* a, const float* b, float* c, int n) { by_tiles<32>(a, b, c, n); }

__constant__ float coefficients[4] = {4.0f / 5, -1.0f / 5, 4.0f / 105, -1.0f / 280};

extern "C" __global__ void stencil_constant(const float* input, float* output, unsigned n) {
    __shared__ float samples[256 + 8];
    unsigned i = blockIdx.x * 256 + threadIdx.x, own = threadIdx.x + 4;
    samples[own] = i < n ? input[i] : 0.0f;
    if (threadIdx.x < 4) {
        samples[own - 4] = i >= 4 ? input[i - 4] : 0.0f;
        samples[own + 256] = i + 256 < n ? input[i + 256] : 0.0f;
    }
    __syncthreads();
    float slope = 0.0f;
#pragma unroll
    for (unsigned k = 1; k <= 4; ++k) slope += coefficients[k - 1] * (samples[own + k] - samples[own - k]);
    if (i < n) output[i] = slope;
}
