//! What puts the accesses of different threads in order: atomics, fences, and barriers in shared
//! memory.
//!
//! The barrier of all threads of a block is [`crate::thread::sync_threads`].

pub mod atomic;
pub mod barrier;
pub mod fence;
