//! Tensors: boxes that the tensor memory accelerator moves.

pub mod tma_copy;
