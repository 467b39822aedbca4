// What a GPU has besides arithmetic: shared memory, atomics, warps, calls by pointer, constants, matrices, asynchronous copies.
#include <cstdint>
#include <cuda_pipeline.h>
#include <mma.h>

__constant__ float weights[5];

extern "C" __global__ void stencil(const float *in, float *out, unsigned n) {
    extern __shared__ float tile[];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, k = threadIdx.x + 2;
    tile[k] = i < n ? in[i] : 0.0f;
    if (threadIdx.x < 2) {
        tile[k - 2] = i >= 2 ? in[i - 2] : 0.0f;
        tile[k + blockDim.x] = i + blockDim.x < n ? in[i + blockDim.x] : 0.0f;
    }
    __syncthreads();
    float sum = 0.0f;
    for (int j = 0; j < 5; j++) sum += weights[j] * tile[k + j - 2];
    if (i < n) out[i] = sum;
}

extern "C" __global__ void warps(const int *in, int *out) {
    unsigned lane = threadIdx.x & 31, i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = in[i];
    int *row = out + 6 * i;
    row[0] = __reduce_add_sync(~0u, value);
    row[1] = __ballot_sync(~0u, value & 1);
    row[2] = __match_any_sync(~0u, value % 3);
    int sum = value;
    for (int step = 1; step < 32; step *= 2) {
        int below = __shfl_up_sync(~0u, sum, step);
        if (lane >= step) sum += below;
    }
    row[3] = sum;
    // Lanes that went apart: they take part in what follows by themselves.
    row[4] = 0;
    if (value & 1) {
        unsigned together = __activemask();
        row[4] = __popc(__ballot_sync(together, value > 0)) == __popc(together);
    }
    row[5] = __syncthreads_count(value > 50);
}

__device__ double maximum(double *at, double value) {
    auto *bits = reinterpret_cast<unsigned long long *>(at);
    unsigned long long old = *bits, seen;
    do {
        seen = old;
        if (__longlong_as_double(seen) >= value) break;
        old = atomicCAS(bits, seen, __double_as_longlong(value));
    } while (old != seen);
    return __longlong_as_double(old);
}

__device__ int locked = 0;

extern "C" __global__ void atomics(const int *in, int *bins, double *most, int *counter, unsigned n) {
    __shared__ int local[16];
    if (threadIdx.x < 16) local[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&local[in[i] & 15], 1);
        maximum(most, in[i] * 0.5);
    }
    __syncthreads();
    if (threadIdx.x < 16) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
    // A lock that lanes of one warp take in turn ends on GPUs whose lanes have program counters of their own.
    bool done = false;
    while (!done) {
        if (atomicCAS(&locked, 0, 1) == 0) {
            __threadfence();
            *(volatile int *)counter += 1;
            __threadfence();
            atomicExch(&locked, 0);
            done = true;
        }
    }
}

struct Shape {
    __device__ virtual float area() const = 0;
    __device__ virtual ~Shape() {}
};
struct Square : Shape {
    float side;
    __device__ Square(float side) : side(side) {}
    __device__ float area() const override { return side * side; }
};
struct Disc : Shape {
    float radius;
    __device__ Disc(float radius) : radius(radius) {}
    __device__ float area() const override { return 3.0f * radius * radius; }
};

__device__ float half_of(float x) { return 0.5f * x; }
__device__ float double_of(float x) { return 2.0f * x; }
__device__ float (*const functions[2])(float) = {half_of, double_of};
__device__ __noinline__ unsigned fibonacci(unsigned n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

extern "C" __global__ void calls(const float *x, float *out, unsigned *numbers, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Shape *shape = i % 2 ? static_cast<Shape *>(new Square(x[i])) : new Disc(x[i]);
    out[i] = functions[i / 2 % 2](shape->area());
    delete shape;
    numbers[i] = fibonacci(i % 12);
}

extern "C" __global__ void matrices(const half *a, const half *b, float *c) {
    using namespace nvcuda;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> right;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 1.0f);
    for (int k = 0; k < 32; k += 16) {
        wmma::load_matrix_sync(left, a + k, 32);
        wmma::load_matrix_sync(right, b + k, 32);
        wmma::mma_sync(sum, left, right, sum);
    }
    wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);
}

extern "C" __global__ void pipeline(const int4 *in, int4 *out) {
    __shared__ int4 tile[2][64];
    unsigned t = threadIdx.x;
    __pipeline_memcpy_async(&tile[0][t], &in[t], sizeof(int4));
    __pipeline_commit();
    __pipeline_memcpy_async(&tile[1][t], &in[t + 64], sizeof(int4));
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    out[t] = tile[0][63 - t];
    __pipeline_wait_prior(0);
    __syncthreads();
    out[t + 64] = tile[1][63 - t];
}
