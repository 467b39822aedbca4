//! Global memory: the cost of a warp's loads and stores.

pub mod aos_soa;
pub mod cache_operators;
pub mod gather;
pub mod l2_window;
pub mod misaligned_read;
pub mod misaligned_write;
pub mod offset_stride;
pub mod pitched;
pub mod transpose;
