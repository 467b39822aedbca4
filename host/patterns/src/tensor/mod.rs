//! Tensors: boxes that the tensor memory accelerator copies.

pub mod gemm_bf16;
pub mod tma_copy;
