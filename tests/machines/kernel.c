/* A program that knows nothing of Lanewise: opens the driver, runs a kernel and compares. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

static const char PTX[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".visible .entry fill(.param .u64 out) {\n"
                          ".reg .u32 %r; .reg .u64 %p, %o;\n"
                          "ld.param.u64 %p, [out]; mov.u32 %r, %tid.x;\n"
                          "mul.wide.u32 %o, %r, 4; add.u64 %p, %p, %o; st.global.u32 [%p], %r; ret;\n}";

static void *cuda;

/* The function of this name, which takes whatever it is given. */
static int (*of(const char *name))() {
    return (int (*)())dlsym(cuda, name);
}

static void check(const char *call, int code) {
    if (code != 0) {
        printf("%s: error %d\n", call, code);
        _Exit(1);
    }
}
#define CALL(name, ...) check(#name, of(#name)(__VA_ARGS__))

int main(void) {
    void *context, *module, *function;
    uint64_t memory;
    uint32_t numbers[64];
    char name[99];
    void *arguments[] = {&memory};
    cuda = dlopen("libcuda.so.1", RTLD_NOW);
    if (cuda == NULL) {
        printf("%s\n", dlerror());
        return 1;
    }
    CALL(cuInit, 0);
    CALL(cuDeviceGetName, name, 99, 0);
    CALL(cuDevicePrimaryCtxRetain, &context, 0);
    CALL(cuCtxSetCurrent, context);
    CALL(cuModuleLoadData, &module, PTX);
    CALL(cuModuleGetFunction, &function, module, "fill");
    CALL(cuMemAlloc_v2, &memory, sizeof numbers);
    CALL(cuLaunchKernel, function, 1, 1, 1, 64, 1, 1, 0, NULL, arguments, NULL);
    CALL(cuMemcpyDtoH_v2, numbers, memory, sizeof numbers);
    for (uint32_t i = 0; i < 64; i++) {
        if (numbers[i] != i) {
            printf("%u at %u\n", numbers[i], i);
            return 1;
        }
    }
    printf("%s: 64 numbers by a kernel\n", name);
    return 0;
}
