//! Instructions on memory, on matrices, and at which lanes meet: one instruction per kernel,
//! against references in these files.

#![allow(
    clippy::needless_range_loop,
    reason = "lanes and lines are numbers of the ISA here, not places in one list"
)]

mod asynchronous;
mod control;
mod matrices;
mod meeting;
mod memory;
