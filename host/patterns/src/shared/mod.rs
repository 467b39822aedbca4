//! Memories near the threads: tiles that a block keeps at hand, constants, textures, arrays of a
//! thread's own.

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
