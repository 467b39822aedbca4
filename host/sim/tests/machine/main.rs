//! Instructions that touch memory, where lanes meet, and on matrices: one instruction a kernel, against references written here.

#[path = "../common/mod.rs"]
mod common;

mod addresses;
mod atomics;
mod cluster;
