//! Where variables lie, how much of shared memory they take, and how values are copied.

pub(crate) mod constant_memory;
pub(crate) mod copies;
pub(crate) mod shared_memory;
pub(crate) mod shared_size;
