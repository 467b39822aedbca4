/* The functions of cuBLAS and cuRAND that candle calls when it opens and closes a device. The libraries themselves are machine code for GPUs. */
#define OPENS(name) int name(void **handle) { *handle = handle; return 0; }
#define DOES_NOTHING(name) int name(void) { return 0; }

OPENS(cublasCreate_v2)
OPENS(curandCreateGenerator)
DOES_NOTHING(cublasDestroy_v2)
DOES_NOTHING(cublasSetStream_v2)
DOES_NOTHING(curandDestroyGenerator)
DOES_NOTHING(curandSetPseudoRandomGeneratorSeed)
DOES_NOTHING(curandSetStream)
