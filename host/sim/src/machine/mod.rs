//! The SIMT machine: warps, blocks and grids running decoded operations.
//!
//! A warp instruction is the unit of work: one indirect call, 32 lanes in plain arrays that the compiler vectorises. From
//! the inside out:
//!
//! | file | what it is |
//! | --- | --- |
//! | `op`, `lane`, `level` | an operation; a row of 32 values; what the host's processor offers |
//! | `alu` | arithmetic, logic, comparison: anything from rows to rows |
//! | `access`, `transfer`, `local`, `atomics` | addresses and their checks; loads and stores; interleaved memory; atomics |
//! | `image`, `texture`, `surface` | texture and surface instructions: their objects, fetches, loads and stores |
//! | `sampling`, `query` | what a sampler reads; what an object says of itself |
//! | `exchange`, `barrier`, `cluster` | lanes of a warp, and threads of a block or a cluster, meeting |
//! | `control`, `frame` | branches, calls, ends; frames and special registers |
//! | `mbarrier` | barriers that are objects in shared memory |
//! | `asynchronous`, `bulk`, `pending` | copies that are started now and happen later |
//! | `matrix`, `tile` | products of matrices, and matrices between memory and a warp's registers |
//! | `video` | arithmetic on bytes and halves of registers |
//! | `stack` | local memory of a size that is known only when the program runs |
//! | `builtin`, `format`, `heap` | `vprintf`, `malloc`, `free`, `__assertfail` |
//! | `children`, `family` | launches from kernels; which grid runs when |
//! | `core`, `schedule`, `event` | one host thread's state; which lanes of a warp run; why they stop |
//! | `warp`, `team`, `run` | a warp's state; the blocks that run together; a launch over all cores |
//! | `limits`, `output` | whether a launch can be; what kernels print |
//! | `watch` | counters and checks that look at operations before they run |
//! | `explain`, `findings` | from a fault or a finding as an operation sees it to the report that a user reads |

pub(crate) mod access;
pub(crate) mod alu;
pub(crate) mod asynchronous;
pub(crate) mod atomics;
pub(crate) mod barrier;
pub(crate) mod builtin;
pub(crate) mod bulk;
pub(crate) mod children;
pub(crate) mod cluster;
pub(crate) mod control;
pub(crate) mod core;
mod event;
pub(crate) mod exchange;
mod explain;
pub(crate) mod family;
mod findings;
mod format;
pub(crate) mod frame;
pub(crate) mod heap;
pub(crate) mod image;
pub(crate) mod lane;
pub(crate) mod level;
mod limits;
mod local;
pub(crate) mod matrix;
pub(crate) mod mbarrier;
pub(crate) mod misc;
pub(crate) mod op;
mod output;
pub(crate) mod pending;
pub(crate) mod query;
pub(crate) mod run;
mod sampling;
mod schedule;
pub(crate) mod stack;
pub(crate) mod surface;
mod team;
pub(crate) mod texture;
pub(crate) mod tile;
pub(crate) mod transfer;
pub(crate) mod video;
mod warp;
mod watch;
