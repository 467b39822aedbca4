//! Launches as the device sees them: by other kernels, ahead of their turn, under a graph's
//! conditions, or in place of a block that has not begun.

pub mod dynamic;
pub mod graph;
pub mod launch_control;
pub mod programmatic;
