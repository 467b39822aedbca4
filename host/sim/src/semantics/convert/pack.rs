//! `cvt.pack`.
//!
//! PTX ISA 9.7.9, "cvt.pack". Both operands are clamped to a type of `BITS` bits; `a` stands above
//! `b`. Types of 8 bits and fewer leave room: there the low bits of `c` stand above both, so that
//! four, eight or sixteen numbers are packed by as many halves of instructions, each with the last
//! result as its `c`.

/// `cvt.pack.sat.convertType.s32`, `.b32` with a third operand; for 16 bits `c` does not count.
#[inline]
pub(crate) fn cvt_pack_sat<const BITS: u32, const SIGNED: bool>(a: i32, b: i32, c: u32) -> u32 {
    let clamp = |x: i32| {
        let (least, most) = if SIGNED {
            (-1 << (BITS - 1), (1 << (BITS - 1)) - 1)
        } else {
            (0, (1 << BITS) - 1)
        };
        x.clamp(least, most) as u32 & ((1 << BITS) - 1)
    };
    let above = if BITS < 16 { c << (2 * BITS) } else { 0 };
    above | clamp(a) << BITS | clamp(b)
}
