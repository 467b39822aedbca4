//! Global memory: how a warp's addresses become sectors.

pub mod aos_soa;
pub mod cache_operators;
pub mod gather;
pub mod l2_window;
mod misaligned;
pub mod misaligned_read;
pub mod misaligned_write;
pub mod offset_stride;
pub mod pitched;
pub mod transfers;
pub mod transpose;
