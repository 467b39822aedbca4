//! `popc`, `clz`, `brev`, `bfind`, `fns`, `bfe`, `bfi`, `bmsk`, `szext`.
//!
//! PTX ISA 9.7.1. Field positions and lengths are the low 8 bits of their operands, as in the ISA
//! and on an H200 (position 260 acts as 4).

use std::hint::select_unpredictable as select;

typed! {
    /// `popc`: the number of bits that are set.
    |a| a.count_ones();
    popc_b32(u32) -> u32, popc_b64(u64) -> u32,
}

typed! {
    /// `clz`: the number of zeros above the highest set bit; the width for an operand of zero.
    |a| a.leading_zeros();
    clz_b32(u32) -> u32, clz_b64(u64) -> u32,
}

typed! {
    /// `brev`: the bits in reverse order.
    |a| a.reverse_bits();
    brev_b32: u32, brev_b64: u64,
}

/// The result of `bfind` if there is no such bit.
const NOT_FOUND: u32 = !0;

typed! {
    /// `bfind`: the position of the highest set bit; all ones if there is none.
    |a| if a == 0 { NOT_FOUND } else { T::BITS - 1 - a.leading_zeros() };
    bfind_u32(u32) -> u32, bfind_u64(u64) -> u32,
}

typed! {
    /// `bfind`, signed: the position of the highest bit that differs from the sign; all ones if
    /// there is none.
    |a| bfind_u32((a ^ (a >> 31)) as u32);
    bfind_s32(i32) -> u32,
}

typed! {
    /// `bfind`, signed: the position of the highest bit that differs from the sign; all ones if
    /// there is none.
    |a| bfind_u64((a ^ (a >> 63)) as u64);
    bfind_s64(i64) -> u32,
}

typed! {
    /// `bfind.shiftamt`: the left shift that moves `bfind`'s bit to the top; all ones if
    /// there is none.
    |a| if a == 0 { NOT_FOUND } else { a.leading_zeros() };
    bfind_shiftamt_u32(u32) -> u32, bfind_shiftamt_u64(u64) -> u32,
}

typed! {
    /// `bfind.shiftamt`, signed: the left shift that moves `bfind`'s bit to the top; all ones if
    /// there is none.
    |a| bfind_shiftamt_u32((a ^ (a >> 31)) as u32);
    bfind_shiftamt_s32(i32) -> u32,
}

typed! {
    /// `bfind.shiftamt`, signed: the left shift that moves `bfind`'s bit to the top; all ones if
    /// there is none.
    |a| bfind_shiftamt_u64((a ^ (a >> 63)) as u64);
    bfind_shiftamt_s64(i64) -> u32,
}

/// `fns.b32`: the position of the `offset`-th set bit of `mask` from `base` up, or down if `offset`
/// is negative; with a zero offset, `base` if its bit is set. All ones if there is none.
///
/// Open in the ISA: a `base` above 31. Here no bit is found.
#[inline(always)]
pub(crate) fn fns_b32(mask: u32, base: u32, offset: i32) -> u32 {
    if base > 31 {
        return NOT_FOUND;
    }
    // Only search upwards: a search down from `base` is a search up in the mirror image.
    let (mask, start) = if offset < 0 {
        (mask.reverse_bits(), 31 - base)
    } else {
        (mask, base)
    };
    let mut rest = mask & (!0 << start);
    if offset == 0 {
        rest &= 1 << start;
    }
    for _ in 1..offset.unsigned_abs().min(33) {
        rest &= rest.wrapping_sub(1); // drop the lowest set bit
    }
    match rest {
        0 => NOT_FOUND,
        _ if offset < 0 => 31 - rest.trailing_zeros(),
        _ => rest.trailing_zeros(),
    }
}

/// Returns the bits of a field's position and length that are used: the low 8 bits at 32 bits,
/// and all 32 at 64 bits, as measured on an H200. From twice the width on, larger values have
/// the same effect.
#[inline(always)]
fn field(bits: u32, pos: u32, len: u32) -> (u32, u32) {
    if bits == 32 {
        (pos & 0xff, len & 0xff)
    } else {
        (pos.min(128), len.min(128))
    }
}

typed! {
    /// `bfe`, unsigned: `len` bits of `a` from `pos` up, zero-extended.
    |a, pos, len| {
        let (pos, len) = field(T::BITS, pos, len);
        let field = if pos < T::BITS { a >> pos } else { 0 };
        if len < T::BITS { field & !(!0 << len) } else { field }
    };
    bfe_u32(u32, u32, u32) -> u32, bfe_u64(u64, u32, u32) -> u64,
}

typed! {
    /// `bfe`, signed: `len` bits of `a` from `pos` up. It is extended with the field's top bit, or
    /// with `a`'s if the field extends past it. It is zero if `len` is zero.
    |a, pos, len| {
        let (pos, len) = field(T::BITS, pos, len);
        let end = if pos + len < T::BITS { pos + len } else { T::BITS };
        // Move the field to the top of the word, and then down with its sign.
        let inside = a.wrapping_shl(T::BITS - end).wrapping_shr(T::BITS.wrapping_sub(end.wrapping_sub(pos)));
        let signed = select(pos >= T::BITS, a >> (T::BITS - 1), inside);
        select(len == 0, 0, signed)
    };
    bfe_s32(i32, u32, u32) -> i32, bfe_s64(i64, u32, u32) -> i64,
}

typed! {
    /// `bfi`: `b` with `len` bits of it from `pos` up replaced by the low bits of `a`.
    |a, b, pos, len| {
        let (pos, len) = field(T::BITS, pos, len);
        let ones: T = if len < T::BITS { !(!0 << len) } else { !0 };
        let (field, value) = if pos < T::BITS { (ones << pos, a << pos) } else { (0, 0) };
        (value & field) | (b & !field)
    };
    bfi_b32(u32, u32, u32, u32) -> u32, bfi_b64(u64, u64, u32, u32) -> u64,
}

/// `bmsk.clamp.b32`: `width` ones from bit `pos` up, as many as fit; none if `pos` is
/// beyond the word.
#[inline(always)]
pub(crate) fn bmsk_clamp_b32(pos: u32, width: u32) -> u32 {
    let ones = if width < 32 { !(!0 << width) } else { !0 };
    if pos < 32 { ones << pos } else { 0 }
}

/// `bmsk.wrap.b32`: `width` modulo 32 ones from bit `pos` modulo 32 up, as many as fit.
#[inline(always)]
pub(crate) fn bmsk_wrap_b32(pos: u32, width: u32) -> u32 {
    bmsk_clamp_b32(pos & 31, width & 31)
}

/// `szext.clamp.u32`: the low `n` bits of `a`, zero-extended; all of `a` from 32 bits on.
#[inline(always)]
pub(crate) fn szext_clamp_u32(a: u32, n: u32) -> u32 {
    if n < 32 { a & !(!0 << n) } else { a }
}

/// `szext.clamp.s32`: the low `n` bits of `a`, sign-extended; all of `a` from 32 bits on.
#[inline(always)]
pub(crate) fn szext_clamp_s32(a: i32, n: u32) -> i32 {
    match n {
        0 => 0,
        1..32 => a << (32 - n) >> (32 - n),
        _ => a,
    }
}

/// `szext.wrap.u32`: the low `n` modulo 32 bits of `a`, zero-extended.
#[inline(always)]
pub(crate) fn szext_wrap_u32(a: u32, n: u32) -> u32 {
    szext_clamp_u32(a, n & 31)
}

/// `szext.wrap.s32`: the low `n` modulo 32 bits of `a`, sign-extended.
#[inline(always)]
pub(crate) fn szext_wrap_s32(a: i32, n: u32) -> i32 {
    szext_clamp_s32(a, n & 31)
}
