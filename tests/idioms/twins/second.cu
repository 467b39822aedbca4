// The kernels of src/kernels/{rows,training,blocks}.rs in CUDA C++, on the same data, for comparison on one GPU.
//
//     nvcc -O3 -std=c++17 -arch=sm_90 -o second second.cu
//     ./second [NAME ..]
//
// It prints what the program `idioms` prints: a name, the median of 21 launches in milliseconds, and a checksum.

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

using bf16 = __nv_bfloat16;

static void check(cudaError_t error) {
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s\n", cudaGetErrorString(error));
    exit(1);
}

// Data, as src/kernels/inputs.rs makes it.

__device__ unsigned hash32(unsigned i, unsigned seed) {
    unsigned h = i * 0x9E3779B1u + seed * 0x85EBCA77u;
    h ^= h >> 16;
    h *= 0x85EBCA6Bu;
    h ^= h >> 13;
    h *= 0xC2B2AE35u;
    return h ^ h >> 16;
}

__device__ float uniform(unsigned i, unsigned seed, float low, float width) {
    return fmaf(width, (hash32(i, seed) >> 8) * (1.0f / 16777216.0f), low);
}

template <class T, class F>
__global__ void fill_kernel(T* out, size_t n, F f) {
    size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) out[i] = f((unsigned)i);
}

struct Uniform {
    unsigned seed;
    float low, width;
    __device__ float operator()(unsigned i) const { return uniform(i, seed, low, width); }
};

struct Below {
    unsigned seed, below, first;
    __device__ unsigned operator()(unsigned i) const { return first + hash32(i, seed) % below; }
};

struct Hash {
    unsigned seed;
    __device__ unsigned operator()(unsigned i) const { return hash32(i, seed); }
};

struct Particle {
    float x, y, z, vx, vy, vz, mass;
};

struct MakeParticle {
    __device__ Particle operator()(unsigned i) const {
        return {uniform(i, 301, 0, 1),      uniform(i, 302, 0, 1),      uniform(i, 303, 0, 1),     uniform(i, 304, -0.5f, 1),
                uniform(i, 305, -0.5f, 1), uniform(i, 306, -0.5f, 1), uniform(i, 307, 0.5f, 1)};
    }
};

// Buffers, checksums, times.

static unsigned cover(size_t n, unsigned block) { return (unsigned)std::max<size_t>((n + block - 1) / block, 1); }
constexpr unsigned MAKING = 1024;

template <class T>
struct Buffer {
    T* p;
    size_t n;
    explicit Buffer(size_t n) : n(n) {
        check(cudaMalloc(&p, n * sizeof(T)));
        zero();
    }
    template <class F>
    Buffer(size_t n, F f) : Buffer(n) {
        fill(f);
    }
    Buffer(const Buffer&) = delete;
    ~Buffer() { check(cudaFree(p)); }
    operator T*() const { return p; }
    void zero() { check(cudaMemset(p, 0, n * sizeof(T))); }
    template <class F>
    void fill(F f) {
        fill_kernel<<<MAKING, 256>>>(p, n, f);
        check(cudaGetLastError());
    }
};

template <class T>
__global__ void checksum_kernel(const T* values, size_t n, bool squares, double* partial) {
    __shared__ double s[256];
    double acc = 0;
    size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        double value = (double)(T)values[i];
        acc += (1.0 + (i % 1021) / 1024.0) * (squares ? value * value : value);
    }
    s[threadIdx.x] = acc;
    __syncthreads();
    for (unsigned k = blockDim.x / 2; k > 0; k /= 2) {
        if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
        __syncthreads();
    }
    if (threadIdx.x == 0) partial[blockIdx.x] = s[0];
}

template <class T>
static double checksum(const T* values, size_t n, bool squares) {
    Buffer<double> partial(MAKING);
    checksum_kernel<<<MAKING, 256>>>(values, n, squares, partial.p);
    check(cudaGetLastError());
    std::vector<double> host(partial.n);
    check(cudaMemcpy(host.data(), partial, partial.n * sizeof(double), cudaMemcpyDeviceToHost));
    double sum = 0;
    for (double part : host) sum += part;
    return sum;
}
template <class T>
static double weighted(const Buffer<T>& values) {
    return checksum(values.p, values.n, false);
}
template <class T>
static double squares(const Buffer<T>& values) {
    return checksum(values.p, values.n, true);
}

template <class Restore, class Launch>
static double median(Restore restore, Launch launch) {
    cudaEvent_t start, stop;
    check(cudaEventCreate(&start));
    check(cudaEventCreate(&stop));
    std::vector<float> times;
    for (int run = 0; run < 24; run++) {
        restore();
        check(cudaDeviceSynchronize());
        check(cudaEventRecord(start));
        launch();
        check(cudaGetLastError());
        check(cudaEventRecord(stop));
        check(cudaEventSynchronize(stop));
        float time;
        check(cudaEventElapsedTime(&time, start, stop));
        if (run >= 3) times.push_back(time);
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}
template <class Launch>
static double median(Launch launch) {
    return median([] {}, launch);
}

// The time and the checksum of a kernel.
struct Outcome {
    double time, sum;
};

// Reductions of warps and blocks.

template <class F>
__device__ float warp_reduce(float value, F f) {
    for (int k = 16; k > 0; k /= 2) value = f(value, __shfl_xor_sync(0xffffffffu, value, k));
    return value;
}
__device__ float add(float a, float b) { return a + b; }
__device__ float warp_sum(float value) { return warp_reduce(value, add); }
__device__ float warp_max(float value) { return warp_reduce(value, fmaxf); }

template <class F>
__device__ float block_reduce(float value, float identity, F f) {
    __shared__ float s[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    value = warp_reduce(value, f);
    __syncthreads();
    if (lane == 0) s[warp] = value;
    __syncthreads();
    return warp_reduce(lane < blockDim.x / 32 ? s[lane] : identity, f);
}
__device__ float block_sum(float value) { return block_reduce(value, 0.0f, add); }
__device__ float block_max(float value) { return block_reduce(value, -FLT_MAX, fmaxf); }

// rows.rs

constexpr float EPS = 1e-5f;

__global__ void ln_forward_warp(const float* __restrict__ x, const float* __restrict__ weight, const float* __restrict__ bias,
                                float* __restrict__ y, float* __restrict__ means, float* __restrict__ scales, int rows, int cols) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    const float* xr = x + (size_t)row * cols;
    float sum = 0.0f;
    for (int c = lane; c < cols; c += 32) sum += xr[c];
    float mean = warp_sum(sum) / cols;
    sum = 0.0f;
    for (int c = lane; c < cols; c += 32) {
        float d = xr[c] - mean;
        sum += d * d;
    }
    float scale = rsqrtf(warp_sum(sum) / cols + EPS);
    for (int c = lane; c < cols; c += 32) y[(size_t)row * cols + c] = (xr[c] - mean) * scale * weight[c] + bias[c];
    if (lane == 0) {
        means[row] = mean;
        scales[row] = scale;
    }
}

__global__ void ln_forward_block(const float* __restrict__ x, const float* __restrict__ weight, const float* __restrict__ bias,
                                 float* __restrict__ y, float* __restrict__ means, float* __restrict__ scales, int cols) {
    const float* xr = x + (size_t)blockIdx.x * cols;
    float sum = 0.0f, squares = 0.0f;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) {
        sum += xr[c];
        squares += xr[c] * xr[c];
    }
    float mean = block_sum(sum) / cols;
    float square = block_sum(squares) / cols;
    float scale = rsqrtf(square - mean * mean + EPS);
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        y[(size_t)blockIdx.x * cols + c] = (xr[c] - mean) * scale * weight[c] + bias[c];
    if (threadIdx.x == 0) {
        means[blockIdx.x] = mean;
        scales[blockIdx.x] = scale;
    }
}

template <class Launch>
static Outcome ln_forward(size_t rows, size_t cols, Launch launch) {
    Buffer<float> x(rows * cols, Uniform{401, -1, 3}), weight(cols, Uniform{402, 0.5f, 1}), bias(cols, Uniform{403, 0, 1});
    Buffer<float> y(rows * cols), means(rows), scales(rows);
    double time = median([&] { launch(x.p, weight.p, bias.p, y.p, means.p, scales.p); });
    return {time, weighted(y) + squares(y) + weighted(means) + weighted(scales)};
}

static Outcome run_ln_forward_warp() {
    size_t rows = 131072, cols = 768;
    return ln_forward(rows, cols, [&](auto... p) { ln_forward_warp<<<cover(rows * 32, 256), 256>>>(p..., rows, cols); });
}

static Outcome run_ln_forward_block() {
    size_t rows = 65536, cols = 1600;
    return ln_forward(rows, cols, [&](auto... p) { ln_forward_block<<<rows, 256>>>(p..., cols); });
}

constexpr int WIDTH = 768;

__global__ void ln_backward(const float* __restrict__ dy, const float* __restrict__ x, const float* __restrict__ weight,
                            const float* __restrict__ means, const float* __restrict__ scales, float* __restrict__ dx,
                            float* __restrict__ dweight, float* __restrict__ dbias, int rows) {
    __shared__ float of_weight[WIDTH], of_bias[WIDTH];
    int lane = threadIdx.x % 32;
    for (int c = threadIdx.x; c < WIDTH; c += blockDim.x) of_weight[c] = of_bias[c] = 0.0f;
    __syncthreads();
    for (int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32; row < rows; row += gridDim.x * blockDim.x / 32) {
        size_t first = (size_t)row * WIDTH;
        float mean = means[row], scale = scales[row], of_norm = 0.0f, of_both = 0.0f;
        for (int c = lane; c < WIDTH; c += 32) {
            float norm = (x[first + c] - mean) * scale;
            float dnorm = weight[c] * dy[first + c];
            of_norm += dnorm;
            of_both += dnorm * norm;
        }
        of_norm = warp_sum(of_norm) / WIDTH;
        of_both = warp_sum(of_both) / WIDTH;
        for (int c = lane; c < WIDTH; c += 32) {
            float norm = (x[first + c] - mean) * scale;
            float dnorm = weight[c] * dy[first + c];
            atomicAdd(&of_bias[c], dy[first + c]);
            atomicAdd(&of_weight[c], norm * dy[first + c]);
            dx[first + c] = (dnorm - of_norm - norm * of_both) * scale;
        }
    }
    __syncthreads();
    for (int c = threadIdx.x; c < WIDTH; c += blockDim.x) {
        atomicAdd(&dbias[c], of_bias[c]);
        atomicAdd(&dweight[c], of_weight[c]);
    }
}

static Outcome run_ln_backward() {
    size_t rows = 65536, n = rows * WIDTH;
    Buffer<float> dy(n, Uniform{404, 0, 1}), x(n, Uniform{405, -1, 3}), weight(WIDTH, Uniform{406, 0.5f, 1});
    Buffer<float> means(rows, Uniform{407, 0.25f, 0.5f}), scales(rows, Uniform{408, 1, 0.5f});
    Buffer<float> dx(n), dweight(WIDTH), dbias(WIDTH);
    auto restore = [&] { dweight.zero(), dbias.zero(); };
    double time = median(restore, [&] { ln_backward<<<528, 256>>>(dy, x, weight, means, scales, dx, dweight, dbias, rows); });
    return {time, squares(dx) + squares(dweight) + weighted(dbias)};
}

__global__ void softmax_causal(const float* __restrict__ x, float* __restrict__ y, int rows, int len, float scale) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    int own = row % len, whole = (own + 1) / 4;
    const float* xr = x + (size_t)row * len;
    const float4* vectors = (const float4*)xr;
    float max = -FLT_MAX, sum = 0.0f;
    for (int i = lane; i < whole; i += 32) {
        float4 v = vectors[i];
        float old = max;
        max = fmaxf(fmaxf(fmaxf(max, v.x), fmaxf(v.y, v.z)), v.w);
        sum *= expf(scale * (old - max));
        sum += expf(scale * (v.x - max));
        sum += expf(scale * (v.y - max));
        sum += expf(scale * (v.z - max));
        sum += expf(scale * (v.w - max));
    }
    int rest = whole * 4 + lane;
    if (rest <= own) {
        float old = max;
        max = fmaxf(max, xr[rest]);
        sum *= expf(scale * (old - max));
        sum += expf(scale * (xr[rest] - max));
    }
    float largest = warp_max(max);
    sum *= expf(scale * (max - largest));
    float inverse = 1.0f / warp_sum(sum);
    for (int c = lane; c <= own; c += 32) y[(size_t)row * len + c] = expf(scale * (xr[c] - largest)) * inverse;
}

static Outcome run_softmax_causal() {
    size_t heads = 96, len = 1024, rows = heads * len;
    Buffer<float> x(rows * len, Uniform{409, -40, 80}), y(rows * len);
    double time = median([&] { softmax_causal<<<cover(rows * 32, 256), 256>>>(x, y, rows, len, 0.125f); });
    return {time, weighted(y) + len * squares(y)};
}

__global__ void cross_entropy_bf16(bf16* __restrict__ logits, const int* __restrict__ targets, float* __restrict__ losses, float weight,
                                   int classes) {
    bf16* xr = logits + (size_t)blockIdx.x * classes;
    int target = targets[blockIdx.x];
    float max = -FLT_MAX, sum = 0.0f;
    for (int c = threadIdx.x; c < classes; c += blockDim.x) {
        float x = __bfloat162float(xr[c]);
        if (x > max) {
            sum *= expf(max - x);
            max = x;
        }
        sum += expf(x - max);
    }
    float largest = block_max(max);
    float total = block_sum(sum * expf(max - largest));
    for (int c = threadIdx.x; c < classes; c += blockDim.x) {
        float p = expf(__bfloat162float(xr[c]) - largest) / total, d = p;
        if (c == target) {
            losses[blockIdx.x] = -logf(p);
            d -= 1.0f;
        }
        xr[c] = __float2bfloat16(d * weight);
    }
}

static Outcome run_cross_entropy_bf16() {
    size_t rows = 4096, classes = 50257;
    Buffer<int> targets(rows, Below{410, (unsigned)classes, 0});
    Buffer<bf16> logits(rows * classes);
    Buffer<float> losses(rows);
    double time = median([&] { logits.fill(Uniform{411, -4, 8}); },
                         [&] { cross_entropy_bf16<<<rows, 1024>>>(logits, targets, losses, 0.25f, classes); });
    return {time, weighted(losses) + squares(logits)};
}

// training.rs

constexpr size_t COLS = 768, HEADS = 12, HEAD = 64;

__global__ void embed_forward(float* __restrict__ out, const int* __restrict__ tokens, const float* __restrict__ of_token,
                              const float* __restrict__ of_position, int len, int cols, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int at = i / cols, c = i % cols;
    out[i] = of_token[(size_t)tokens[at] * cols + c] + of_position[at % len * cols + c];
}

static Outcome run_embed_forward() {
    size_t count = 131072, len = 1024, words = 50257, n = count * COLS;
    Buffer<int> tokens(count, Below{421, (unsigned)words, 0});
    Buffer<float> of_token(words * COLS, Uniform{422, 0, 1}), of_position(len * COLS, Uniform{423, 0, 1}), out(n);
    double time = median([&] { embed_forward<<<cover(n, 256), 256>>>(out, tokens, of_token, of_position, len, COLS, n); });
    return {time, weighted(out)};
}

__global__ void embed_backward(float* __restrict__ dtoken, float* __restrict__ dposition, const float* __restrict__ dout,
                               const int* __restrict__ tokens, int len, int cols, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int at = i / cols, c = i % cols;
    atomicAdd(&dtoken[(size_t)tokens[at] * cols + c], dout[i]);
    atomicAdd(&dposition[at % len * cols + c], dout[i]);
}

static Outcome run_embed_backward() {
    size_t count = 65536, len = 1024, words = 50257, n = count * COLS;
    Buffer<int> tokens(count, Below{424, (unsigned)words, 0});
    Buffer<float> dout(n, Uniform{425, 0, 1}), dtoken(words * COLS), dposition(len * COLS);
    auto restore = [&] { dtoken.zero(), dposition.zero(); };
    double time = median(restore, [&] { embed_backward<<<cover(n, 256), 256>>>(dtoken, dposition, dout, tokens, len, COLS, n); });
    return {time, weighted(dtoken) + weighted(dposition)};
}

__global__ void permute_heads(const float* __restrict__ input, float* __restrict__ q, float* __restrict__ k, float* __restrict__ v, int len,
                              int heads, int head_size, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int batch = i / (heads * len * head_size), rest = i % (heads * len * head_size);
    int head = rest / (len * head_size);
    rest = rest % (len * head_size);
    int t = rest / head_size, d = rest % head_size;
    int from = (((batch * len + t) * 3) * heads + head) * head_size + d;
    q[i] = input[from];
    k[i] = input[from + heads * head_size];
    v[i] = input[from + 2 * heads * head_size];
}

static Outcome run_permute_heads() {
    size_t batch = 64, len = 1024, n = batch * len * HEADS * HEAD;
    Buffer<float> input(3 * n, Uniform{426, 0, 1}), q(n), k(n), v(n);
    double time = median([&] { permute_heads<<<cover(n, 256), 256>>>(input, q, k, v, len, HEADS, HEAD, n); });
    return {time, weighted(q) + 2 * weighted(k) + 3 * weighted(v)};
}

constexpr float SCALE = 0.7978846f;

__global__ void bias_gelu_forward(float* __restrict__ out, const float* __restrict__ residual, const float* __restrict__ x,
                                  const float* __restrict__ bias, int cols, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i] + bias[i % cols];
    float cube = 0.044715f * v * v * v;
    out[i] = residual[i] + 0.5f * v * (1.0f + tanhf(SCALE * (v + cube)));
}

__global__ void bias_gelu_backward(float* __restrict__ dx, const float* __restrict__ dout, const float* __restrict__ x,
                                   const float* __restrict__ bias, int cols, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i] + bias[i % cols];
    float inner = SCALE * (v + 0.044715f * v * v * v);
    float tanh = tanhf(inner), cosh = coshf(inner);
    float slope = SCALE * (1.0f + 3.0f * 0.044715f * v * v) / (cosh * cosh);
    dx[i] = dout[i] * (0.5f * (1.0f + tanh) + v * 0.5f * slope);
}

// The first seed is that of `x`; that of the other array and of the bias come next.
template <class Kernel>
static Outcome bias_gelu(Kernel kernel, unsigned seed) {
    size_t rows = 32768, cols = 3072, n = rows * cols;
    Buffer<float> x(n, Uniform{seed, -3, 6}), other(n, Uniform{seed + 1, 0, 1}), bias(cols, Uniform{seed + 2, -0.5f, 1}), out(n);
    double time = median([&] { kernel<<<cover(n, 256), 256>>>(out, other, x, bias, cols, n); });
    return {time, weighted(out)};
}
static Outcome run_bias_gelu_forward() { return bias_gelu(bias_gelu_forward, 427); }
static Outcome run_bias_gelu_backward() { return bias_gelu(bias_gelu_backward, 430); }

__global__ void rope(float2* __restrict__ x, int len, int heads, int head_size, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int pairs = head_size / 2;
    int pair = i % pairs, t = i / (pairs * heads) % len;
    float frequency = powf(10000.0f, -2.0f * pair / head_size), sin, cos;
    sincosf(t * frequency, &sin, &cos);
    float2 v = x[i];
    x[i] = make_float2(v.x * cos - v.y * sin, v.x * sin + v.y * cos);
}

static Outcome run_rope() {
    size_t batch = 64, len = 1024, n = batch * len * HEADS * HEAD;
    Buffer<float> x(n);
    double time = median([&] { x.fill(Uniform{433, 0, 1}); },
                         [&] { rope<<<cover(n / 2, 256), 256>>>((float2*)x.p, len, HEADS, HEAD, n / 2); });
    return {time, weighted(x)};
}

__global__ void attention_scores(const float* __restrict__ q, const float* __restrict__ k, float* __restrict__ scores, int len,
                                 int head_size, float scale, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int head = i / (len * len), rest = i % (len * len);
    int from = rest / len, to = rest % len;
    if (to > from) {
        scores[i] = -1e4f;
        return;
    }
    const float* query = q + (size_t)(head * len + from) * head_size;
    const float* key = k + (size_t)(head * len + to) * head_size;
    float sum = 0.0f;
    for (int d = 0; d < head_size; d++) sum += query[d] * key[d];
    scores[i] = sum * scale;
}

static Outcome run_attention_scores() {
    size_t heads = 48, len = 512, n = heads * len * len;
    Buffer<float> q(heads * len * HEAD, Uniform{434, 0, 1}), k(heads * len * HEAD, Uniform{435, 0, 1}), scores(n);
    double time = median([&] { attention_scores<<<cover(n, 256), 256>>>(q, k, scores, len, HEAD, 0.125f, n); });
    return {time, weighted(scores)};
}

__global__ void bias_gradient(const float* __restrict__ dout, float* __restrict__ dbias, int rows, int cols) {
    __shared__ float part[16][32];
    int col = blockIdx.x * 32 + threadIdx.x;
    float sum = 0.0f;
    if (col < cols)
        for (int row = blockIdx.y * blockDim.y + threadIdx.y; row < rows; row += gridDim.y * blockDim.y) sum += dout[(size_t)row * cols + col];
    part[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y == 0 && col < cols) {
        float total = 0.0f;
        for (int row = 0; row < 16; row++) total += part[row][threadIdx.x];
        atomicAdd(&dbias[col], total);
    }
}

static Outcome run_bias_gradient() {
    size_t rows = 32768, cols = 3072;
    Buffer<float> dout(rows * cols, Uniform{436, 0, 1}), dbias(cols);
    double time = median([&] { dbias.zero(); },
                         [&] { bias_gradient<<<dim3(cover(cols, 32), 16), dim3(32, 16)>>>(dout, dbias, rows, cols); });
    return {time, weighted(dbias)};
}

struct AdamW {
    float lr, beta1, beta2, eps, decay, correct1, correct2;
};

__device__ void adamw(float& p, float g, float& m, float& v, AdamW with) {
    m = with.beta1 * m + (1.0f - with.beta1) * g;
    v = with.beta2 * v + (1.0f - with.beta2) * g * g;
    p -= with.lr * ((m / with.correct1) / (sqrtf(v / with.correct2) + with.eps) + with.decay * p);
}

__global__ void adamw_float4(float4* __restrict__ param, const float4* __restrict__ grad, float4* __restrict__ m, float4* __restrict__ v,
                             AdamW with, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 g = grad[i], new_p = param[i], new_m = m[i], new_v = v[i];
    adamw(new_p.x, g.x, new_m.x, new_v.x, with);
    adamw(new_p.y, g.y, new_m.y, new_v.y, with);
    adamw(new_p.z, g.z, new_m.z, new_v.z, with);
    adamw(new_p.w, g.w, new_m.w, new_v.w, with);
    param[i] = new_p;
    m[i] = new_m;
    v[i] = new_v;
}

static Outcome run_adamw_float4() {
    size_t n = 1 << 26;
    Buffer<float> grad(n, Uniform{437, -0.5f, 1.5f}), param(n), m(n), v(n);
    auto restore = [&] { param.fill(Uniform{438, -0.5f, 2}), m.fill(Uniform{439, -0.25f, 1}), v.fill(Uniform{440, 0, 1}); };
    AdamW with = {1e-3f, 0.9f, 0.95f, 1e-8f, 0.1f, 0.271f, 0.142625f};
    double time = median(restore, [&] {
        adamw_float4<<<cover(n / 4, 256), 256>>>((float4*)param.p, (float4*)grad.p, (float4*)m.p, (float4*)v.p, with, n / 4);
    });
    return {time, weighted(param) + squares(m) + weighted(v)};
}

// blocks.rs

constexpr int SIDE = 128, DEPTH = 8, OWN = 8;

__global__ void matmul_128(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n, int k) {
    __shared__ float sa[DEPTH][SIDE], sb[DEPTH][SIDE];
    int tx = threadIdx.x % 16, ty = threadIdx.x / 16, row0 = blockIdx.y * SIDE, col0 = blockIdx.x * SIDE;
    float sums[OWN][OWN] = {};
    for (int t = 0; t < k; t += DEPTH) {
        for (int e = threadIdx.x; e < SIDE * DEPTH; e += 256) {
            sa[e % DEPTH][e / DEPTH] = a[(size_t)(row0 + e / DEPTH) * k + t + e % DEPTH];
            sb[e / SIDE][e % SIDE] = b[(size_t)(t + e / SIDE) * n + col0 + e % SIDE];
        }
        __syncthreads();
        for (int j = 0; j < DEPTH; j++) {
            float of_a[OWN], of_b[OWN];
            for (int p = 0; p < OWN; p++) {
                of_a[p] = sa[j][ty * OWN + p];
                of_b[p] = sb[j][tx * OWN + p];
            }
            for (int p = 0; p < OWN; p++)
                for (int q = 0; q < OWN; q++) sums[p][q] += of_a[p] * of_b[q];
        }
        __syncthreads();
    }
    for (int p = 0; p < OWN; p++)
        for (int q = 0; q < OWN; q++) c[(size_t)(row0 + ty * OWN + p) * n + col0 + tx * OWN + q] = sums[p][q];
}

static Outcome run_matmul_128() {
    size_t n = 4096;
    Buffer<float> a(n * n, Uniform{451, -0.5f, 1.5f}), b(n * n, Uniform{452, -0.5f, 1.5f}), c(n * n);
    double time = median([&] { matmul_128<<<dim3(n / SIDE, n / SIDE), 256>>>(a, b, c, n, n); });
    return {time, weighted(c)};
}

__global__ void stencil_3d_7pt(const float* __restrict__ in, float* __restrict__ out, int nx, int ny, int nz, float alpha) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= nx || y >= ny || z >= nz) return;
    size_t i = ((size_t)z * ny + y) * nx + x;
    float c = in[i];
    if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1 && z > 0 && z < nz - 1) {
        float around = in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx];
        float across = in[i - (size_t)nx * ny] + in[i + (size_t)nx * ny];
        c += alpha * (around + across - 6.0f * c);
    }
    out[i] = c;
}

static Outcome run_stencil_3d_7pt() {
    size_t nx = 500, ny = 510, nz = 520;
    Buffer<float> in(nx * ny * nz, Uniform{453, 0, 1}), out(nx * ny * nz);
    dim3 grid(cover(nx, 32), cover(ny, 4), cover(nz, 2));
    double time = median([&] { stencil_3d_7pt<<<grid, dim3(32, 4, 2)>>>(in, out, nx, ny, nz, 0.1f); });
    return {time, weighted(out) + squares(out)};
}

constexpr int PIECE = 1024;

__global__ void scan_block(const unsigned* __restrict__ x, unsigned* __restrict__ out, int n) {
    __shared__ unsigned sums[PIECE];
    int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
    unsigned sum = i < n ? x[i] : 0;
    sums[tid] = sum;
    __syncthreads();
    for (int distance = 1; distance < PIECE; distance *= 2) {
        unsigned before = tid >= distance ? sums[tid - distance] : 0;
        __syncthreads();
        sum += before;
        sums[tid] = sum;
        __syncthreads();
    }
    if (i < n) out[i] = sum;
}

static Outcome run_scan_block() {
    size_t n = 1 << 27;
    Buffer<unsigned> x(n, Below{454, 1000, 0}), out(n);
    double time = median([&] { scan_block<<<cover(n, PIECE), PIECE>>>(x, out, n); });
    return {time, weighted(out)};
}

__global__ void bitonic_sort(unsigned* __restrict__ keys, int n) {
    __shared__ unsigned s[PIECE];
    int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
    s[tid] = i < n ? keys[i] : UINT_MAX;
    __syncthreads();
    for (int size = 2; size <= PIECE; size *= 2) {
        for (int distance = size / 2; distance > 0; distance /= 2) {
            int other = tid ^ distance;
            if (other > tid) {
                unsigned a = s[tid], b = s[other];
                bool rises = (tid & size) == 0;
                if ((a > b) == rises) {
                    s[tid] = b;
                    s[other] = a;
                }
            }
            __syncthreads();
        }
    }
    if (i < n) keys[i] = s[tid];
}

static Outcome run_bitonic_sort() {
    size_t n = 1 << 25;
    Buffer<unsigned> keys(n);
    double time = median([&] { keys.fill(Hash{455}); }, [&] { bitonic_sort<<<cover(n, PIECE), PIECE>>>(keys, n); });
    return {time, weighted(keys)};
}

__global__ void life_u8(const unsigned char* __restrict__ cells, unsigned char* __restrict__ out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    int alive = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if ((dx || dy) && cells[(size_t)((y + dy + h) % h) * w + (x + dx + w) % w]) alive++;
    size_t i = (size_t)y * w + x;
    out[i] = alive == 3 || (cells[i] && alive == 2);
}

static Outcome run_life_u8() {
    size_t w = 16000, h = 12000;
    Buffer<unsigned char> cells(w * h, Below{456, 2, 0}), out(w * h);
    double time = median([&] { life_u8<<<dim3(cover(w, 32), cover(h, 8)), dim3(32, 8)>>>(cells, out, w, h); });
    return {time, weighted(out)};
}

__global__ void string_search(const unsigned char* __restrict__ text, const unsigned char* __restrict__ pattern,
                              unsigned char* __restrict__ found, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    bool is_found = i + m <= n;
    for (int k = 0; is_found && k < m; k++) is_found = text[i + k] == pattern[k];
    found[i] = is_found;
}

static Outcome run_string_search() {
    size_t n = 1 << 27;
    Buffer<unsigned char> text(n, Below{457, 4, 'a'}), pattern(4), found(n);
    check(cudaMemcpy(pattern, "abca", 4, cudaMemcpyHostToDevice));
    double time = median([&] { string_search<<<cover(n, 256), 256>>>(text, pattern, found, n, 4); });
    return {time, weighted(found)};
}

__global__ void transpose_records(const Particle* __restrict__ in, Particle* __restrict__ out, int rows, int cols) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < cols && y < rows) out[(size_t)x * rows + y] = in[(size_t)y * cols + x];
}

static Outcome run_transpose_records() {
    size_t rows = 5000, cols = 4000, n = rows * cols;
    Buffer<Particle> in(n, MakeParticle{}), out(n);
    double time = median([&] { transpose_records<<<dim3(cover(cols, 32), cover(rows, 8)), dim3(32, 8)>>>(in, out, rows, cols); });
    return {time, checksum((const float*)out.p, n * 7, false)};
}

#define KERNELS(_)                                                                                                                     \
    _(ln_forward_warp) _(ln_forward_block) _(ln_backward) _(softmax_causal) _(cross_entropy_bf16) _(embed_forward) _(embed_backward)   \
    _(permute_heads) _(bias_gelu_forward) _(bias_gelu_backward) _(rope) _(attention_scores) _(bias_gradient) _(adamw_float4)           \
    _(matmul_128) _(stencil_3d_7pt) _(scan_block) _(bitonic_sort) _(life_u8) _(string_search) _(transpose_records)

int main(int argc, char** argv) {
    struct {
        const char* name;
        Outcome (*run)();
    } const kernels[] = {
#define ROW(name) {#name, run_##name},
        KERNELS(ROW)};
    std::vector<std::string> names(argv + 1, argv + argc);
    for (auto& kernel : kernels) {
        if (!names.empty() && std::find(names.begin(), names.end(), kernel.name) == names.end()) continue;
        Outcome outcome = kernel.run();
        printf("%-20s  %9.4f  %.12e\n", kernel.name, outcome.time, outcome.sum);
        fflush(stdout);
    }
}
