//! Warps: lanes that read the registers of other lanes.

pub mod reduce_shuffle;
pub mod shuffles;
pub mod votes;
