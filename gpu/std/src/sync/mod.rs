//! Synchronisation: atomics, fences, and barriers in shared memory order the accesses
//! of different threads. A [`scope`] says of which.
//!
//! The barrier of all threads of a block is [`crate::thread::sync_threads`].

pub mod atomic;
pub mod barrier;
pub mod fence;
pub mod scope;
