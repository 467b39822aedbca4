//! Asynchronous copies of the separate unit, which run while the threads continue: bulk copies,
//! copies of boxes of tensors, and the pipeline that overlaps copies with work.

pub mod bulk;
pub mod pipeline;
pub mod tma;
