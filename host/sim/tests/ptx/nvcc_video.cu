// Intrinsics on bytes and halves, for which nvcc emits video instructions in part, and video instructions by hand.
// nvcc -ptx -arch=sm_75 nvcc_video.cu
#include <cstdint>
extern "C" __global__ void simd(const uint32_t* a, const uint32_t* b, uint32_t* out) {
    int i = threadIdx.x;
    uint32_t x = a[i], y = b[i];
    uint32_t* o = out + 8 * i;
    o[0] = __vabsdiffu4(x, y); o[1] = __vabsdiffs4(x, y); o[2] = __vsadu4(x, y); o[3] = __vsadu2(x, y);
    o[4] = __vadd4(x, y); o[5] = __vaddss2(x, y); o[6] = __vavgs4(x, y); o[7] = __vcmpgts2(x, y);
}
extern "C" __global__ void byhand(const uint32_t* a, const uint32_t* b, uint32_t* out) {
    int i = threadIdx.x;
    uint32_t x = a[i], y = b[i];
    uint32_t* o = out + 4 * i;
    asm("vadd.s32.u32.s32.sat.max %0, %1.b0, %2.h1, %3;" : "=r"(o[0]) : "r"(x), "r"(y), "r"(100));
    asm("vmad.s32.u32.s32.shr7 %0, %1.b3, -%2.h0, %3;" : "=r"(o[1]) : "r"(x), "r"(y), "r"(x));
    asm("vset4.u32.s32.lt.add %0, %1.b3210, %2.b7654, %3;" : "=r"(o[2]) : "r"(x), "r"(y), "r"(i));
    asm("vsub2.u32.u32.u32.sat %0.h1, %1.h23, %2.h01, %3;" : "=r"(o[3]) : "r"(x), "r"(y), "r"(x));
}
