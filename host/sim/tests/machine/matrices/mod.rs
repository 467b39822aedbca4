//! Products of matrices, and what brings them into registers.

mod block_scale;
pub(crate) mod matrix;
mod rows;
mod sparse;
mod tile;
mod warpgroup;
