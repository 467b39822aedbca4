//! Chapter 5: streams, events, asynchronous copies, and the order between them.

mod any_order;
mod built_graphs;
mod extremes;
mod graphs;
mod held;
mod late;
mod own_code;
mod panics;
mod patterns;
mod pools;
mod times;
mod wrappers;
