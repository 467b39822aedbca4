//! Chapter 5: streams, events, asynchronous copies. Who waits for whom.

mod graphs;
mod patterns;
mod times;
mod wrappers;
