//! Clusters: blocks that run together and share their shared memory.

pub mod cluster_histogram;
pub mod clusters;
