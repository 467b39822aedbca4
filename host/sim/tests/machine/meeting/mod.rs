//! Instructions at which threads wait for each other or exchange values.

mod barrier;
mod cluster;
mod lanes;
mod warp;
