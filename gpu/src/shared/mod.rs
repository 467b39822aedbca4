//! Memories near the threads: what a block keeps in shared memory, what a thread keeps to itself, and what comes through the texture cache.

pub mod async_copy;
pub mod fences;
pub mod local_memory;
pub mod matmul;
pub mod rect_tile;
pub mod reduce_shared;
pub mod square_tile;
pub mod stencil;
pub mod texture;
pub mod transpose_shared;
