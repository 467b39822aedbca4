//! Memories near the threads: tiles in shared memory, constants, textures, and arrays of a thread.

pub mod async_copy;
pub mod fences;
pub mod local_memory;
pub mod matmul;
pub mod rect_tile;
pub mod reduce_shared;
pub mod square_tile;
pub mod stencil;
pub mod texture;
mod tile;
pub mod transpose_shared;
