//! `and`, `or`, `xor`, `not`, `cnot`, `lop3`, `shl`, `shr`, `shf`, `prmt`.
//!
//! PTX ISA 9.7.8 "Logic and Shift Instructions"; `prmt` from 9.7.9 "Data Movement". A shift amount
//! is `.u32` for every type, and is clamped to the width. A GPU does not mask it as a CPU does
//! (measured: `shl` by 32 is 0).

use std::hint::select_unpredictable as select;

typed! {
    /// `and` of the operands, bit by bit.
    |a, b| a & b;
    and_b16: u16, and_b32: u32, and_b64: u64,
}

typed! {
    /// `or` of the operands, bit by bit.
    |a, b| a | b;
    or_b16: u16, or_b32: u32, or_b64: u64,
}

typed! {
    /// `xor` of the operands, bit by bit.
    |a, b| a ^ b;
    xor_b16: u16, xor_b32: u32, xor_b64: u64,
}

typed! {
    /// `not`: every bit inverted.
    |a| !a;
    not_b16: u16, not_b32: u32, not_b64: u64,
}

typed! {
    /// `cnot`: like C's `!`, one for zero and zero for every other value.
    |a| T::from(a == 0);
    cnot_b16: u16, cnot_b32: u32, cnot_b64: u64,
}

/// `lop3.b32`: any function of three bits, at each position. Its value is bit
/// `4a + 2b + c` of `table`.
///
/// It is a tree of selects over the table's bits. If the table is known when the loop is
/// compiled, the tree is folded to one or two operations. If it is known before the loop, its
/// leaves are hoisted.
#[inline(always)]
pub(crate) fn lop3_b32(a: u32, b: u32, c: u32, table: u8) -> u32 {
    let leaf = |index: u32| 0u32.wrapping_sub(u32::from(table) >> index & 1);
    let select = |by: u32, one: u32, zero: u32| zero ^ (by & (one ^ zero));
    let a_set = select(b, select(c, leaf(7), leaf(6)), select(c, leaf(5), leaf(4)));
    let a_clear = select(b, select(c, leaf(3), leaf(2)), select(c, leaf(1), leaf(0)));
    select(a, a_set, a_clear)
}

typed! {
    /// `shl`: a left shift with zeros; zero for amounts from the width on.
    |a, amount| if amount < T::BITS { a << amount } else { 0 };
    shl_b16(u16, u32) -> u16, shl_b32(u32, u32) -> u32, shl_b64(u64, u32) -> u64,
}

typed! {
    /// `shr`, unsigned or untyped: a right shift with zeros; zero for amounts from the width on.
    |a, amount| if amount < T::BITS { a >> amount } else { 0 };
    shr_u16(u16, u32) -> u16, shr_u32(u32, u32) -> u32, shr_u64(u64, u32) -> u64,
}

typed! {
    /// `shr`, signed: a right shift with the sign; only sign bits for amounts from the width on.
    |a, amount| a >> if amount < T::BITS { amount } else { T::BITS - 1 };
    shr_s16(i16, u32) -> i16, shr_s32(i32, u32) -> i32, shr_s64(i64, u32) -> i64,
}

/// `shf.l.wrap.b32`: the upper word of `b:a` shifted left by `amount` modulo 32.
///
/// It uses words of 32 bits, so that rotations of a warp's lanes stay in registers. The inner shift
/// by one keeps the outer amount below the width.
#[inline(always)]
pub(crate) fn shf_l_wrap_b32(a: u32, b: u32, amount: u32) -> u32 {
    let n = amount & 31;
    b << n | a >> 1 >> (31 - n)
}

/// `shf.r.wrap.b32`: the lower word of `b:a` shifted right by `amount` modulo 32.
#[inline(always)]
pub(crate) fn shf_r_wrap_b32(a: u32, b: u32, amount: u32) -> u32 {
    let n = amount & 31;
    b << 1 << (31 - n) | a >> n
}

/// `shf.l.clamp.b32`: the upper word of `b:a` shifted left by `amount`, at most 32.
#[inline(always)]
pub(crate) fn shf_l_clamp_b32(a: u32, b: u32, amount: u32) -> u32 {
    if amount < 32 {
        shf_l_wrap_b32(a, b, amount)
    } else {
        a
    }
}

/// `shf.r.clamp.b32`: the lower word of `b:a` shifted right by `amount`, at most 32.
#[inline(always)]
pub(crate) fn shf_r_clamp_b32(a: u32, b: u32, amount: u32) -> u32 {
    if amount < 32 {
        shf_r_wrap_b32(a, b, amount)
    } else {
        b
    }
}

/// `prmt.b32`: four bytes selected from the eight of `b:a`. The low three bits of each selector
/// nibble select the byte. The fourth replaces all eight bits by the byte's sign.
#[inline(always)]
pub(crate) fn prmt_b32(a: u32, b: u32, selectors: u32) -> u32 {
    let mut picked = 0;
    for target in 0..4 {
        let selector = selectors >> (4 * target) & 0xf;
        let word = select(selector & 4 == 0, a, b);
        let byte = word >> (8 * (selector & 3)) & 0xff;
        let sign = 0u32.wrapping_sub(byte >> 7) & 0xff;
        picked |= select(selector & 8 == 0, byte, sign) << (8 * target);
    }
    picked
}

/// Defines one mode of `prmt`, by its selectors for each value of the low two bits of `c`.
macro_rules! prmt_mode {
    ($($(#[$doc:meta])* $name:ident: [$($selectors:literal),+]);+ $(;)?) => {$(
        $(#[$doc])*
        #[inline(always)]
        pub(crate) fn $name(a: u32, b: u32, c: u32) -> u32 {
            const SELECTORS: [u32; 4] = [$($selectors),+];
            prmt_b32(a, b, SELECTORS[(c & 3) as usize])
        }
    )+};
}

prmt_mode! {
    /// `prmt.b32.f4e`, forward four extract: bytes from `c` up.
    prmt_f4e_b32: [0x3210, 0x4321, 0x5432, 0x6543];
    /// `prmt.b32.b4e`, backward four extract: bytes from `c` down, with wrap-around.
    prmt_b4e_b32: [0x5670, 0x6701, 0x7012, 0x0123];
    /// `prmt.b32.rc8`, replicate 8: byte `c` four times.
    prmt_rc8_b32: [0x0000, 0x1111, 0x2222, 0x3333];
    /// `prmt.b32.ecl`, edge clamp left: bytes below `c` are replaced by byte `c`.
    prmt_ecl_b32: [0x3210, 0x3211, 0x3222, 0x3333];
    /// `prmt.b32.ecr`, edge clamp right: bytes above `c` are replaced by byte `c`.
    prmt_ecr_b32: [0x0000, 0x1110, 0x2210, 0x3210];
    /// `prmt.b32.rc16`, replicate 16: one half word twice.
    prmt_rc16_b32: [0x1010, 0x3232, 0x1010, 0x3232];
}
