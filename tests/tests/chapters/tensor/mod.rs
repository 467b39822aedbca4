//! Tensors: boxes that the tensor memory accelerator moves, and products of them.

mod gemm_bf16;
mod tma_copy;
