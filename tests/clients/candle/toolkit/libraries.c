/* The functions of cuBLAS and cuRAND that candle calls when it opens and closes a device, and those that its own tests link, which refuse. The libraries
   themselves are machine code for GPUs. */
#define OPENS(name) int name(void **handle) { *handle = handle; return 0; }
#define REFUSES(name) int name(void) { return 15; }
#define DOES_NOTHING(name) int name(void) { return 0; }

OPENS(cublasCreate_v2)
OPENS(curandCreateGenerator)
DOES_NOTHING(cublasDestroy_v2)
DOES_NOTHING(cublasSetStream_v2)
DOES_NOTHING(curandDestroyGenerator)
DOES_NOTHING(curandSetPseudoRandomGeneratorSeed)
DOES_NOTHING(curandSetStream)

REFUSES(cublasDgemmStridedBatched)
REFUSES(cublasGemmStridedBatchedEx)
REFUSES(curandGenerateNormal)
REFUSES(curandGenerateNormalDouble)
REFUSES(curandGenerateUniform)
REFUSES(curandGenerateUniformDouble)
