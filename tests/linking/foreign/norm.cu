// nvcc -rdc=true -ptx -arch=compute_80 norm.cu
struct Range {
    float low;
    float high;
};

extern "C" __device__ float norm3(float x, float y, float z) { return sqrtf(x * x + y * y + z * z); }

extern "C" __device__ Range range_of(const float *numbers, unsigned long long count) {
    Range range = {numbers[0], numbers[0]};
#pragma unroll 1
    for (unsigned long long i = 1; i < count; ++i) {
        range.low = fminf(range.low, numbers[i]);
        range.high = fmaxf(range.high, numbers[i]);
    }
    return range;
}
