//! `cvt.pack`.
//!
//! PTX ISA 9.7.9, "cvt.pack". Both operands are clamped to a type of `BITS` bits, and `a` is placed
//! above `b`. With types of 8 bits and fewer, the low bits of `c` are placed above both. So four,
//! eight or sixteen numbers can be packed by half as many instructions, each with the last result
//! as its `c`.

/// `cvt.pack.sat.convertType.s32`, `.b32` with a third operand. For 16 bits, `c` is ignored.
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
