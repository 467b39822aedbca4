//! `dp4a`, `dp2a`: dot products of packed bytes, accumulated in 32 bits.
//!
//! PTX ISA 9.7.1. Each packed operand has its own signedness: `dp4a_s32_u32` reads signed bytes of
//! `a` and unsigned ones of `b`. The accumulator wraps, so its signedness has no effect. It is
//! `u32` in every form.

/// The bytes of `x`, zero-extended.
#[inline(always)]
fn bytes_u32(x: u32) -> [i32; 4] {
    x.to_le_bytes().map(i32::from)
}

/// The bytes of `x`, sign-extended.
#[inline(always)]
fn bytes_s32(x: u32) -> [i32; 4] {
    x.to_le_bytes().map(|byte| i32::from(byte as i8))
}

/// The half words of `x`, zero-extended.
#[inline(always)]
fn halves_u32(x: u32) -> [i32; 2] {
    [x as u16, (x >> 16) as u16].map(i32::from)
}

/// The half words of `x`, sign-extended.
#[inline(always)]
fn halves_s32(x: u32) -> [i32; 2] {
    [x as i16, (x >> 16) as i16].map(i32::from)
}

/// Defines `dp4a` for each pair of operand types.
macro_rules! dp4a {
    ($($name:ident: $a_bytes:ident, $b_bytes:ident);+ $(;)?) => {$(
        /// `dp4a.atype.btype`: `c` plus the products of the four bytes of `a` and of `b`.
        #[inline(always)]
        pub(crate) fn $name(a: u32, b: u32, c: u32) -> u32 {
            let (a, b) = ($a_bytes(a), $b_bytes(b));
            let sum = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]; // at most 4 * 255 * 255
            c.wrapping_add(sum as u32)
        }
    )+};
}

dp4a! {
    dp4a_u32_u32: bytes_u32, bytes_u32;
    dp4a_u32_s32: bytes_u32, bytes_s32;
    dp4a_s32_u32: bytes_s32, bytes_u32;
    dp4a_s32_s32: bytes_s32, bytes_s32;
}

/// Defines `dp2a` for each mode and pair of operand types. The mode selects the half
/// of `b`'s bytes.
macro_rules! dp2a {
    ($($name:ident: $a_halves:ident, $b_bytes:ident[$low:literal, $high:literal]);+ $(;)?) => {$(
        /// `dp2a.mode.atype.btype`: `c` plus the products of the two half words of `a` and two
        /// bytes of `b`.
        #[inline(always)]
        pub(crate) fn $name(a: u32, b: u32, c: u32) -> u32 {
            let (a, b) = ($a_halves(a), $b_bytes(b));
            let sum = a[0] * b[$low] + a[1] * b[$high]; // at most 2 * 65535 * 255
            c.wrapping_add(sum as u32)
        }
    )+};
}

dp2a! {
    dp2a_lo_u32_u32: halves_u32, bytes_u32[0, 1];
    dp2a_lo_u32_s32: halves_u32, bytes_s32[0, 1];
    dp2a_lo_s32_u32: halves_s32, bytes_u32[0, 1];
    dp2a_lo_s32_s32: halves_s32, bytes_s32[0, 1];
    dp2a_hi_u32_u32: halves_u32, bytes_u32[2, 3];
    dp2a_hi_u32_s32: halves_u32, bytes_s32[2, 3];
    dp2a_hi_s32_u32: halves_s32, bytes_u32[2, 3];
    dp2a_hi_s32_s32: halves_s32, bytes_s32[2, 3];
}
