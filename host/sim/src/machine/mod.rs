//! The SIMT machine: warps, blocks and grids running decoded operations.
//!
//! A warp instruction is the unit of work. It is one indirect call, and its 32 lanes lie in plain
//! arrays that the compiler vectorises. Every operation needs these:
//!
//! | file | what it is |
//! | --- | --- |
//! | `op`, `lane`, `level` | an operation; a row of 32 values; the host processor's capabilities |
//! | `core`, `warp`, `frame` | one host thread's state; a warp's; frames of calls, and special registers |
//! | `schedule`, `event` | which lanes of a warp run, and why they stop |
//!
//! The operations:
//!
//! | folder | what it is |
//! | --- | --- |
//! | `compute` | from registers to registers: arithmetic, matrices, video |
//! | `memory` | addresses and their checks, loads and stores, atomics |
//! | `image` | textures and surfaces |
//! | `asynchronous` | copies that start now and complete later |
//! | `meeting` | synchronisation of lanes of a warp, and of threads of a block or a cluster |
//! | `control` | branches, calls, exits; system functions such as `vprintf` and `malloc` |
//!
//! And what is around them:
//!
//! | folder | what it is |
//! | --- | --- |
//! | `launch` | launches over all cores, and launches from kernels |
//! | `explore` | schedules other than the plain one, and weak memory |
//! | `checks` | counters and checks that look at operations before they run, and the reports that a user reads |

pub(crate) mod asynchronous;
pub(crate) mod checks;
pub(crate) mod compute;
pub(crate) mod control;
pub(crate) mod core;
mod event;
pub(crate) mod explore;
pub(crate) mod frame;
pub(crate) mod image;
pub(crate) mod lane;
pub(crate) mod launch;
pub(crate) mod level;
pub(crate) mod meeting;
pub(crate) mod memory;
pub(crate) mod op;
pub(crate) mod program;
mod schedule;
mod warp;
