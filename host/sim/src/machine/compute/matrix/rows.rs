//! Bits in `aux` of `ldmatrix` and `stmatrix`.

use crate::machine::memory::flag;

/// The matrix is transposed.
pub(crate) const TRANS: u32 = 2;
/// The address is generic.
pub(crate) const GENERIC: u32 = 4;
/// Elements have a byte in registers.
pub(crate) const BYTES: u32 = 8;
/// Elements have six bits in memory.
pub(crate) const SIX: u32 = 16;
/// Elements have four bits in memory.
pub(crate) const FOUR: u32 = 32;
/// The bit at which the number of registers starts.
pub(crate) const COUNT: u32 = 8;

const _: () = assert!(TRANS != flag::NARROW && GENERIC != flag::NARROW);
