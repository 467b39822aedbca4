//! Chapter 4, clusters: blocks that run together.

mod cluster_histogram;
mod clusters;
