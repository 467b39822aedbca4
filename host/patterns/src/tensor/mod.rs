//! Tensors: boxes that a unit of its own moves.

pub mod gemm_bf16;
pub mod tma_copy;
