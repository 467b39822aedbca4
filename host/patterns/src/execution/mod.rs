//! How threads execute: warps that diverge, blocks that wait, loops that are unrolled.

pub mod divergence;
pub mod grid_shape;
pub(crate) mod in_place;
pub mod nested_hello;
pub mod nested_reduce;
pub mod occupancy;
pub mod recursive_reduce_cpu;
pub mod reduce_interleaved;
pub mod reduce_neighbored;
pub mod reduce_unroll_warps;
pub mod reduce_unrolled;
