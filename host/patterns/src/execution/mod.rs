//! How threads execute: warps that diverge, blocks that wait, loops that are unrolled.

mod in_place;
pub mod reduce_interleaved;
pub mod reduce_neighbored;
pub mod reduce_unrolled;
