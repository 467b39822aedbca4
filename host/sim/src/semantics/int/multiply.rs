//! `mul`, `mad`, `mul24`, `mad24`.
//!
//! PTX ISA 9.7.1. The product has twice the width. `.lo` and `.hi` are its halves, and `.wide` is
//! all of it. The 24-bit forms read bits 23..0 of their operands, sign-extended in the signed form.
//! Their `.hi` is bits 47..16.

typed! {
    /// `mul.lo`: the low half of the product.
    |a, b| a.wrapping_mul(b);
    mul_lo_u16: u16, mul_lo_s16: i16, mul_lo_u32: u32, mul_lo_u64: u64,
}

/// Defines `mul.hi` at one type, with the type of twice its width.
macro_rules! mul_hi {
    ($($name:ident: $t:ty, $wide:ty);+ $(;)?) => {$(
        /// `mul.hi`: the high half of the product.
        #[inline(always)]
        pub(crate) fn $name(a: $t, b: $t) -> $t {
            ((a as $wide * b as $wide) >> <$t>::BITS) as $t
        }
    )+};
}

mul_hi! {
    mul_hi_u16: u16, u32; mul_hi_s16: i16, i32;
    mul_hi_u32: u32, u64; mul_hi_s32: i32, i64;
    mul_hi_u64: u64, u128; mul_hi_s64: i64, i128;
}

typed! {
    /// `mul.wide`: the whole product.
    |a, b| a as R * b as R;
    mul_wide_u16(u16, u16) -> u32, mul_wide_s16(i16, i16) -> i32,
    mul_wide_u32(u32, u32) -> u64, mul_wide_s32(i32, i32) -> i64,
}

typed! {
    /// `mad.lo`: the low half of the product, plus `c`.
    |a, b, c| a.wrapping_mul(b).wrapping_add(c);
    mad_lo_u16: u16, mad_lo_s16: i16, mad_lo_u32: u32, mad_lo_u64: u64,
}

/// Defines `mad.hi` at one type, with its `mul.hi`.
macro_rules! mad_hi {
    ($($name:ident: $t:ty = $mul:ident);+ $(;)?) => {$(
        /// `mad.hi`: the high half of the product, plus `c`.
        #[inline(always)]
        pub(crate) fn $name(a: $t, b: $t, c: $t) -> $t {
            $mul(a, b).wrapping_add(c)
        }
    )+};
}

mad_hi! {
    mad_hi_u16: u16 = mul_hi_u16; mad_hi_s16: i16 = mul_hi_s16;
    mad_hi_u32: u32 = mul_hi_u32; mad_hi_s32: i32 = mul_hi_s32;
    mad_hi_u64: u64 = mul_hi_u64; mad_hi_s64: i64 = mul_hi_s64;
}

typed! {
    /// `mad.hi.sat.s32`: the high half of the product plus `c`, clamped to the range of `.s32`.
    |a, b, c| mul_hi_s32(a, b).saturating_add(c);
    mad_hi_sat_s32: i32,
}

typed! {
    /// `mad.wide`: the whole product, plus `c`.
    |a, b, c| (a as R * b as R).wrapping_add(c);
    mad_wide_u16(u16, u16, u32) -> u32, mad_wide_s16(i16, i16, i32) -> i32,
    mad_wide_u32(u32, u32, u64) -> u64, mad_wide_s32(i32, i32, i64) -> i64,
}

/// The 48-bit product of the operands' low 24 bits.
#[inline(always)]
fn product24_u32(a: u32, b: u32) -> u64 {
    u64::from(a & 0xff_ffff) * u64::from(b & 0xff_ffff)
}

/// The 48-bit product of the operands' low 24 bits, each sign-extended from bit 23.
#[inline(always)]
fn product24_s32(a: i32, b: i32) -> i64 {
    i64::from(a << 8 >> 8) * i64::from(b << 8 >> 8)
}

typed! {
    /// `mul24.lo.u32`: bits 31..0 of the 24-bit product.
    |a, b| product24_u32(a, b) as u32;
    mul24_lo_u32: u32,
}

typed! {
    /// `mul24.lo.s32`: bits 31..0 of the 24-bit product.
    |a, b| product24_s32(a, b) as i32;
    mul24_lo_s32: i32,
}

typed! {
    /// `mul24.hi.u32`: bits 47..16 of the 24-bit product.
    |a, b| (product24_u32(a, b) >> 16) as u32;
    mul24_hi_u32: u32,
}

typed! {
    /// `mul24.hi.s32`: bits 47..16 of the 24-bit product.
    |a, b| (product24_s32(a, b) >> 16) as i32;
    mul24_hi_s32: i32,
}

typed! {
    /// `mad24.lo.u32`: `mul24.lo` plus `c`.
    |a, b, c| mul24_lo_u32(a, b).wrapping_add(c);
    mad24_lo_u32: u32,
}

typed! {
    /// `mad24.lo.s32`: `mul24.lo` plus `c`.
    |a, b, c| mul24_lo_s32(a, b).wrapping_add(c);
    mad24_lo_s32: i32,
}

typed! {
    /// `mad24.hi.u32`: `mul24.hi` plus `c`.
    |a, b, c| mul24_hi_u32(a, b).wrapping_add(c);
    mad24_hi_u32: u32,
}

typed! {
    /// `mad24.hi.s32`: `mul24.hi` plus `c`.
    |a, b, c| mul24_hi_s32(a, b).wrapping_add(c);
    mad24_hi_s32: i32,
}

typed! {
    /// `mad24.hi.sat.s32`: `mul24.hi` plus `c`, clamped to the range of `.s32`.
    |a, b, c| mul24_hi_s32(a, b).saturating_add(c);
    mad24_hi_sat_s32: i32,
}
