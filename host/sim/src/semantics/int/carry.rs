//! `add.cc`, `addc`, `sub.cc`, `subc`, `mad.cc`, `madc`.
//!
//! PTX ISA 9.7.2. The condition register `CC.CF` is one bit: it goes in as `carry` and comes out as the second of the
//! pair. The forms without `.cc` leave the register alone: their caller drops the second. After a subtraction the bit is a
//! borrow. Signed and unsigned forms carry alike, out of the top bit. In `mad.cc` and `madc` only the addition carries.
//! Open in the ISA: `subc` after an addition, or `addc` after a subtraction; here the bit is taken as it stands.

typed! {
    /// `addc.cc`: a + b + carry, and the carry out; `add.cc` passes `false`.
    |a, b, carry| {
        let (sum, over) = a.overflowing_add(b);
        let (sum, over_again) = sum.overflowing_add(T::from(carry));
        (sum, over | over_again)
    };
    addc_u32(u32, u32, bool) -> (u32, bool), addc_u64(u64, u64, bool) -> (u64, bool),
}

typed! {
    /// `subc.cc`: a - (b + borrow), and the borrow out; `sub.cc` passes `false`.
    |a, b, borrow| {
        let (difference, under) = a.overflowing_sub(b);
        let (difference, under_again) = difference.overflowing_sub(T::from(borrow));
        (difference, under | under_again)
    };
    subc_u32(u32, u32, bool) -> (u32, bool), subc_u64(u64, u64, bool) -> (u64, bool),
}

typed! {
    /// `madc.lo.cc`: the low half of a * b, plus c + carry, and the carry out; `mad.lo.cc` passes `false`.
    |a, b, c, carry| addc_u32(super::mul_lo_u32(a, b), c, carry);
    madc_lo_u32(u32, u32, u32, bool) -> (u32, bool),
}

typed! {
    /// `madc.lo.cc`: the low half of a * b, plus c + carry, and the carry out; `mad.lo.cc` passes `false`.
    |a, b, c, carry| addc_u64(super::mul_lo_u64(a, b), c, carry);
    madc_lo_u64(u64, u64, u64, bool) -> (u64, bool),
}

/// `madc.hi.cc` at one type: `$mul` is its `mul.hi`, `$add` adds bits of its width.
macro_rules! madc_hi {
    ($($name:ident: $t:ty, $bits:ty = $mul:ident, $add:ident);+ $(;)?) => {$(
        /// `madc.hi.cc`: the high half of a * b, plus c + carry, and the carry out; `mad.hi.cc` passes `false`.
        #[inline(always)]
        pub fn $name(a: $t, b: $t, c: $t, carry: bool) -> ($t, bool) {
            let (sum, carry) = $add(super::$mul(a, b) as $bits, c as $bits, carry);
            (sum as $t, carry)
        }
    )+};
}

madc_hi! {
    madc_hi_u32: u32, u32 = mul_hi_u32, addc_u32;
    madc_hi_s32: i32, u32 = mul_hi_s32, addc_u32;
    madc_hi_u64: u64, u64 = mul_hi_u64, addc_u64;
    madc_hi_s64: i64, u64 = mul_hi_s64, addc_u64;
}
