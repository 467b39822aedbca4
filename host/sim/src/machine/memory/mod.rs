//! Transfers between memory and a warp's registers.
//!
//! | file | what it is |
//! | --- | --- |
//! | `address` | the addresses of a warp's access, and whether they are regular |
//! | `access` | from addresses to bytes of the host, with checks |
//! | `flag` | flags of memory operations |
//! | `state_space` | the memory that an address of each space leads to |
//! | `transfer` | loads and stores |
//! | `local` | interleaved memory of one thread |
//! | `atomics` | atomics, in every space |
//! | `multimem` | places in the memory of several devices at once |
//! | `stack` | local memory of a size that is known only when the program runs |
//! | `tile` | matrices between memory and a warp's registers |

pub(crate) mod access;
pub(in crate::machine) mod address;
pub(crate) mod atomics;
pub(crate) mod flag;
pub(in crate::machine) mod local;
pub(crate) mod multimem;
pub(crate) mod stack;
pub(crate) mod state_space;
pub(crate) mod strong;
pub(crate) mod tile;
pub(crate) mod transfer;
