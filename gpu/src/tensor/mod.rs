//! Tensors: boxes that a unit of its own moves.

pub mod tma_copy;
