//! Operations from registers to registers, without access to memory.
//!
//! | file | what it is |
//! | --- | --- |
//! | `alu` | arithmetic, logic, comparison: all operations from rows to rows |
//! | `matrix` | products of matrices |
//! | `warpgroup`, `track` | products of matrices of a warpgroup; the registers that they use |
//! | `misc` | no-ops, clocks, packing and unpacking |
//! | `video` | arithmetic on bytes and halves of registers |

pub(crate) mod alu;
pub(crate) mod matrix;
pub(crate) mod misc;
pub(crate) mod track;
pub(crate) mod video;
pub(crate) mod warpgroup;
