//! `atom` and `red`: computes the new value in memory from the old one and the operands.
//!
//! PTX ISA 9.7.13 "atom", "red". `.add`, `.min`, `.max` on integers are in
//! [`crate::semantics::int`], `.and`, `.or`, `.xor` in [`crate::semantics::logic`], and `.add` of
//! floats is the arithmetic of their type. This module contains only the operations that no other
//! instruction has. The memory makes an operation atomic.

/// `.cas`: `c` if the old value is `b`, else the old value.
#[inline(always)]
pub(crate) fn cas<T: PartialEq>(old: T, b: T, c: T) -> T {
    if old == b { c } else { old }
}

/// `.inc.u32`: counts up to `b`, then from zero again.
#[inline(always)]
pub(crate) fn inc_u32(old: u32, b: u32) -> u32 {
    if old >= b { 0 } else { old.wrapping_add(1) }
}

/// `.dec.u32`: counts down to zero, then from `b` again. Also starts from `b` if the old
/// value is larger.
#[inline(always)]
pub(crate) fn dec_u32(old: u32, b: u32) -> u32 {
    if old == 0 || old > b {
        b
    } else {
        old.wrapping_sub(1)
    }
}
