//! Memory close to the threads: shared memory, a thread's own local memory, and the texture cache.

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
