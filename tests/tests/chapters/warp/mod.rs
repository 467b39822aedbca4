//! Chapter 4, warps: lanes that read each other's registers.

mod reduce_shuffle;
mod shuffles;
mod votes;
