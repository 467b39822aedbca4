//! Warps: lanes that read each other's registers.

pub mod reduce_shuffle;
pub mod shuffles;
pub mod votes;
