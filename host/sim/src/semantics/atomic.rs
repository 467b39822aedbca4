//! `atom` and `red`: the value that memory holds afterwards, from the old one and the operands.
//!
//! PTX ISA 9.7.13 "atom", "red". `.add`, `.min`, `.max` on integers are [`crate::semantics::int`]'s, `.and`, `.or`, `.xor`
//! [`crate::semantics::logic`]'s, `.add` of f64 and of halves (`.noftz`) the arithmetic of their type; here is what only
//! atomics have. That an operation is atomic is the memory's business.

use super::float::{add_rn_f32, add_rn_ftz_f32};

/// `.exch`: the operand.
#[inline(always)]
pub fn exch<T>(_old: T, b: T) -> T {
    b
}

/// `.cas`: `c` if memory held `b`.
#[inline(always)]
pub fn cas<T: PartialEq>(old: T, b: T, c: T) -> T {
    if old == b { c } else { old }
}

/// `.inc.u32`: counts up to `b`, then from zero again.
#[inline(always)]
pub fn inc_u32(old: u32, b: u32) -> u32 {
    if old >= b { 0 } else { old.wrapping_add(1) }
}

/// `.dec.u32`: counts down to zero, then from `b` again; from `b` too if memory held more.
#[inline(always)]
pub fn dec_u32(old: u32, b: u32) -> u32 {
    if old == 0 || old > b {
        b
    } else {
        old.wrapping_sub(1)
    }
}

/// `.add.f32` on global memory: subnormals, in and out, are zeros of their sign.
#[inline(always)]
pub fn add_global_f32(old: f32, b: f32) -> f32 {
    add_rn_ftz_f32(old, b)
}

/// `.add.f32` on shared memory: subnormals count.
#[inline(always)]
pub fn add_shared_f32(old: f32, b: f32) -> f32 {
    add_rn_f32(old, b)
}
