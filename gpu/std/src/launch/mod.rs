//! Launches on the device side: launches by kernels, early starts, conditions of graphs, and the
//! take-over of blocks that have not begun.

pub mod dynamic;
pub(crate) mod entry;
mod give;
pub mod graph;
pub mod launch_control;
pub mod programmatic;
