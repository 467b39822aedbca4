//! The kernels, one file for each group. None of them is tuned: they show what the compiler and the
//! device library make of ordinary Rust.

// `lanewise_std::math::Float` gives floats the methods of `std`, which the host has by itself.
#![cfg_attr(not(target_arch = "nvptx64"), allow(unused_imports))]
// `erf` and its kin may come to `std` one day.
#![allow(unstable_name_collisions)]
#![allow(
    clippy::needless_range_loop,
    clippy::too_many_arguments,
    reason = "many users index in loops and pass plain parameters, and their code is to be fast too"
)]

pub mod blocks;
pub mod index_heavy;
pub mod inputs;
pub mod integers;
pub mod low_precision;
pub mod maths;
pub mod matrices;
pub mod reductions;
pub mod rows;
pub mod sparse;
pub mod structures;
pub mod training;

lanewise_std::module!();
lanewise_std::module!(FastMath);
