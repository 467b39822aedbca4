//! Products of matrices, and the instructions that load matrices into registers.

mod block_scale;
pub(crate) mod matrix;
mod rows;
mod sparse;
mod tile;
mod warpgroup;
