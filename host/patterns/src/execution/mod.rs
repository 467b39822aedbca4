//! How threads execute: warps that diverge, blocks that wait, loops that are unrolled.

pub mod divergence;
mod in_place;
pub mod reduce_interleaved;
pub mod reduce_neighbored;
pub mod reduce_unroll_warps;
pub mod reduce_unrolled;
