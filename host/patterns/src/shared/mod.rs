//! Shared memory: tiles that a block keeps at hand.

pub mod matmul;
pub mod transpose_shared;
