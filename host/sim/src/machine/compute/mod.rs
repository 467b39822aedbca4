//! Operations from registers to registers, without access to memory.
//!
//! | file | what it is |
//! | --- | --- |
//! | `alu` | arithmetic, logic, comparison: anything from rows to rows |
//! | `matrix` | products of matrices |
//! | `warpgroup`, `track` | products of matrices of a warpgroup; which registers they are using |
//! | `misc` | doing nothing, clocks, packing and unpacking |
//! | `video` | arithmetic on bytes and halves of registers |

pub(crate) mod alu;
pub(crate) mod matrix;
pub(crate) mod misc;
pub(crate) mod track;
pub(crate) mod video;
pub(crate) mod warpgroup;
