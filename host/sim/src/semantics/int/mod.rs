//! Integer instructions.
//!
//! PTX ISA 9.7.1 "Integer Arithmetic Instructions" and 9.7.2 "Extended-Precision Integer Arithmetic
//! Instructions". Arithmetic wraps. Signed and unsigned forms of one operation are separate
//! functions, even if they compute the same bits, so that each row of the instruction table has a
//! function of its name.

mod arithmetic;
mod bits;
mod carry;
mod dot;
mod multiply;
mod packed;

pub(crate) use arithmetic::*;
pub(crate) use bits::*;
pub(crate) use carry::*;
pub(crate) use dot::*;
pub(crate) use multiply::*;
pub(crate) use packed::*;
