//! `add.cc`, `addc`, `sub.cc`, `subc`, `mad.cc`, `madc`.
//!
//! PTX ISA 9.7.2. The condition register `CC.CF` is one bit. It is the operand `carry`, and the
//! second value of the result. The forms without `.cc` do not change the register: their caller
//! drops the second value. Signed and unsigned forms have the same carry, out of the top bit. In
//! `mad.cc` and `madc`, only the addition carries. The ISA describes a borrow after a subtraction.
//! On a GPU, a subtraction is the addition of the complement and one, and the bit is the carry of
//! that addition. It is set if there is *no* borrow. A program with subtractions only cannot see
//! the difference. `addc` after `sub.cc` can, and nvcc's division of 128 bits uses that. (ptxas
//! 13.0 has the same carry: `IADD3 R5, P0, R0, -R5, RZ; IADD3.X R7, R4, R7, RZ, P0`.)

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
    /// `subc.cc`: a + not b + carry, and the carry out, which is set if there is no borrow;
    /// `sub.cc` passes `true`.
    |a, b, carry| {
        let (sum, over) = a.overflowing_add(!b);
        let (sum, over_again) = sum.overflowing_add(T::from(carry));
        (sum, over | over_again)
    };
    subc_u32(u32, u32, bool) -> (u32, bool), subc_u64(u64, u64, bool) -> (u64, bool),
}

typed! {
    /// `madc.lo.cc`: the low half of a * b, plus c + carry, and the carry out;
    /// `mad.lo.cc` passes `false`.
    |a, b, c, carry| addc_u32(super::mul_lo_u32(a, b), c, carry);
    madc_lo_u32(u32, u32, u32, bool) -> (u32, bool),
}

typed! {
    /// `madc.lo.cc`: the low half of a * b, plus c + carry, and the carry out;
    /// `mad.lo.cc` passes `false`.
    |a, b, c, carry| addc_u64(super::mul_lo_u64(a, b), c, carry);
    madc_lo_u64(u64, u64, u64, bool) -> (u64, bool),
}

/// Defines `madc.hi.cc` at one type. `$mul` is its `mul.hi`, and `$add` adds bits of its width.
macro_rules! madc_hi {
    ($($name:ident: $t:ty, $bits:ty = $mul:ident, $add:ident);+ $(;)?) => {$(
        /// `madc.hi.cc`: the high half of a * b, plus c + carry, and the carry out;
        /// `mad.hi.cc` passes `false`.
        #[inline(always)]
        pub(crate) fn $name(a: $t, b: $t, c: $t, carry: bool) -> ($t, bool) {
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
