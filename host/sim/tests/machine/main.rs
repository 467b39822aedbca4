//! Instructions that touch memory, where lanes meet, and on matrices: one instruction a kernel, against references written here.

#![allow(
    clippy::needless_range_loop,
    reason = "lanes and lines are numbers of the ISA here, not places in one list"
)]

#[path = "../common/mod.rs"]
mod common;

mod addresses;
mod asynchronous;
mod atomics;
mod barrier;
mod block_scale;
mod bulk;
mod calls;
mod cluster;
mod compiled;
mod control;
mod matrix;
mod mbarrier;
mod meeting;
mod multimem;
mod progress;
mod repeated;
mod rows;
mod samples;
mod sparse;
mod special;
mod speed;
mod tensor;
mod tile;
mod transfers;
mod variables;
mod warp;
mod warpgroup;
mod watched;
