//! The shape that a launch was given: what a kernel relies on, it can check.
//!
//! Dimensions are the same for every thread, and the hardware keeps them where reading costs next to nothing. A kernel
//! that needs a certain shape says so in one line, `gpu_assert!(launch_is_1d())`, and may then be launched safely with any.

use super::*;

/// True if neither the grid nor its blocks extend along y or z.
#[inline]
#[must_use]
pub fn launch_is_1d() -> bool {
    (block_dim_y() | block_dim_z() | grid_dim_y() | grid_dim_z()) == 1
}

/// True if blocks are `x` by `y` threads and the grid has no z.
#[inline]
#[must_use]
pub fn launch_is_2d_of(x: u32, y: u32) -> bool {
    block_dim_x() == x && block_dim_y() == y && (block_dim_z() | grid_dim_z()) == 1
}
