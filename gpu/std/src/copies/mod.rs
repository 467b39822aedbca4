//! Asynchronous copies, which run while the threads continue: copies of one thread (`cp.async`),
//! bulk copies, copies of boxes of tensors, and the pipeline that overlaps copies with work.

pub mod async_copy;
pub mod bulk;
pub mod pipeline;
pub mod tma;
