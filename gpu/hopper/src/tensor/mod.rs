//! Tensors: what the units for matrices and for boxes of tensors do together.

pub mod gemm_bf16;
