//! Memory as kernels see it: arrays that threads share or own, caches, textures, and statics that
//! the host can access. Copies of a thread (`cp.async`) fill shared memory.

pub mod async_copy;
pub(crate) mod bounds;
pub mod cache;
pub mod cells;
pub mod disjoint;
pub mod disjoint_matrix;
pub mod dynamic_shared;
pub mod global;
pub(crate) mod matrix;
pub mod multimem;
mod object;
pub(crate) mod owned;
pub mod part_per_block;
pub mod per_block;
pub mod per_warp;
pub mod phased;
pub mod row_per_block;
pub mod shared;
pub mod surface;
pub mod symbol;
pub mod texture;
pub mod vector;
pub(crate) mod words;
