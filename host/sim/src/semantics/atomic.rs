//! `atom` and `red`: the value that memory holds afterwards, from the old one and the operands.
//!
//! PTX ISA 9.7.13 "atom", "red". `.add`, `.min`, `.max` on integers are
//! [`crate::semantics::int`]'s, `.and`, `.or`, `.xor` [`crate::semantics::logic`]'s, `.add` of
//! floats the arithmetic of their type; here is what only atomics have. That an operation is atomic
//! is the memory's business.

/// `.cas`: `c` if memory held `b`.
#[inline(always)]
pub(crate) fn cas<T: PartialEq>(old: T, b: T, c: T) -> T {
    if old == b { c } else { old }
}

/// `.inc.u32`: counts up to `b`, then from zero again.
#[inline(always)]
pub(crate) fn inc_u32(old: u32, b: u32) -> u32 {
    if old >= b { 0 } else { old.wrapping_add(1) }
}

/// `.dec.u32`: counts down to zero, then from `b` again; from `b` too if memory held more.
#[inline(always)]
pub(crate) fn dec_u32(old: u32, b: u32) -> u32 {
    if old == 0 || old > b {
        b
    } else {
        old.wrapping_sub(1)
    }
}
