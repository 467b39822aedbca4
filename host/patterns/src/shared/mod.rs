//! Memories near the threads: tiles that a block keeps at hand, textures.

pub mod matmul;
pub mod texture;
pub mod transpose_shared;
