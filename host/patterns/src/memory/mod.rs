//! Global memory: how a warp's addresses become sectors.

pub mod transpose;
