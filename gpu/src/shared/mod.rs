//! Shared memory: what a block keeps close to its threads.

pub mod matmul;
pub mod texture;
pub mod transpose_shared;
