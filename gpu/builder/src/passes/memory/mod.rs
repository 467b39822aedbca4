//! In which memory variables are placed, how much shared memory they need, and how
//! values are copied.

pub(crate) mod constant_memory;
pub(crate) mod copies;
pub(crate) mod shared_memory;
pub(crate) mod shared_size;
