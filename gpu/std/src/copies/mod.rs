//! Copies that run while the threads go on: per thread (`cp.async`), in bulk, of boxes of tensors,
//! and the pipeline that overlaps them with work.

pub mod async_copy;
pub mod bulk;
pub mod pipeline;
pub mod tma;
