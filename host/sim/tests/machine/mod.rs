//! Instructions that touch memory, where lanes meet, and on matrices: one instruction a kernel,
//! against references written here.

#![allow(
    clippy::needless_range_loop,
    reason = "lanes and lines are numbers of the ISA here, not places in one list"
)]

mod asynchronous;
mod control;
mod matrices;
mod meeting;
mod memory;
