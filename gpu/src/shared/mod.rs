//! Memories near the threads: what a block keeps in shared memory, and what comes through the texture cache.

pub mod matmul;
pub mod rect_tile;
pub mod reduce_shared;
pub mod square_tile;
pub mod stencil;
pub mod texture;
pub mod transpose_shared;
