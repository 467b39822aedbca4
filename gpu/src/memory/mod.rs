//! Global memory: what a warp's loads and stores cost.

pub mod transpose;
