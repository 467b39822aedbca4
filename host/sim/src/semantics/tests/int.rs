//! Integers: H200 corner values, everything at 8 and 16 bits, wide references at 32 and 64.

use crate::semantics::int::*;
use proptest::prelude::*;

#[test]
fn division_by_zero_is_all_ones_as_measured() {
    assert_eq!((div_u32(7, 0), rem_u32(7, 0)), (!0, !0));
    assert_eq!(
        (div_s32(7, 0), rem_s32(7, 0), div_s32(-7, 0), rem_s32(-7, 0)),
        (-1, -1, -1, -1)
    );
    assert_eq!((div_u64(7, 0), rem_u64(7, 0)), (!0, !0));
    assert_eq!(
        (div_s64(7, 0), rem_s64(7, 0), div_s64(-7, 0), rem_s64(-7, 0)),
        (-1, -1, -1, -1)
    );
}

#[test]
fn division_overflow_wraps_as_measured() {
    assert_eq!(
        (div_s32(i32::MIN, -1), rem_s32(i32::MIN, -1)),
        (i32::MIN, 0)
    );
    assert_eq!(
        (div_s64(i64::MIN, -1), rem_s64(i64::MIN, -1)),
        (i64::MIN, 0)
    );
    assert_eq!(abs_s32(i32::MIN), i32::MIN);
}

#[test]
fn fields_are_as_measured() {
    assert_eq!(bfe_s32(0xdead_beefu32 as i32, 28, 8) as u32, 0xffff_fffd);
    assert_eq!(bfe_s32(0xdead_beefu32 as i32, 40, 4) as u32, 0xffff_ffff);
    assert_eq!(bfe_u32(0xdead_beef, 260, 4), bfe_u32(0xdead_beef, 4, 4));
    assert_eq!((bfe_u32(!0, 3, 0), bfe_s32(-1, 3, 0)), (0, 0));
    assert_eq!(bfi_b32(0xf, 0x1111_1111, 28, 8), 0xf111_1111);
    assert_eq!(
        (bfi_b32(!0, 0x1234, 3, 0), bfi_b32(!0, 0x1234, 32, 4)),
        (0x1234, 0x1234)
    );
    assert_eq!((bfind_u32(0), bfind_s32(-1)), (!0, !0));
    assert_eq!((clz_b32(0), clz_b64(0)), (32, 64));
}

#[test]
fn products_of_24_bits_are_as_measured() {
    assert_eq!(mul24_hi_u32(0xff12_3456, 0x1000), 0x12345);
    assert_eq!(mul24_lo_s32(0x0092_3456, 3) as u32, 0xfeb6_9d02);
}

#[test]
fn fns_gives_the_isa_examples() {
    assert_eq!(fns_b32(0xaaaa_aaaa, 3, 1), 3);
    assert_eq!(fns_b32(0xaaaa_aaaa, 3, -1), 3);
    assert_eq!(fns_b32(0xaaaa_aaaa, 2, 1), 3);
    assert_eq!(fns_b32(0xaaaa_aaaa, 2, -1), 1);
    assert_eq!(bmsk_wrap_b32(1, 2), 6);
    assert_eq!(szext_wrap_u32(!0, 0), 0);
}

#[test]
fn sixteen_bit_arithmetic_agrees_with_i64_for_all_pairs_of_interest() {
    // Every value is combined with the small ones and with the neighbours of all powers of two, of
    // which the last are the limits. All pairs would be 2^32.
    let partners: Vec<i16> = (4..16)
        .flat_map(|power| [-1, 0, 1].map(|by| (1 << power) + by))
        .flat_map(|x: i32| [x as i16, (-x) as i16])
        .chain(-8..8)
        .collect();
    for a in i16::MIN..=i16::MAX {
        for &b in &partners {
            let (wa, wb) = (i64::from(a), i64::from(b));
            assert_eq!(add_s16(a, b), (wa + wb) as i16);
            assert_eq!(sub_s16(a, b), (wa - wb) as i16);
            assert_eq!(mul_lo_s16(a, b), (wa * wb) as i16);
            assert_eq!(mul_hi_s16(a, b), ((wa * wb) >> 16) as i16);
            assert_eq!(i64::from(mul_wide_s16(a, b)), wa * wb);
            assert_eq!(div_s16(a, b), if wb == 0 { -1 } else { (wa / wb) as i16 });
            assert_eq!(rem_s16(a, b), if wb == 0 { -1 } else { (wa % wb) as i16 });
            assert_eq!(
                (min_s16(a, b), max_s16(a, b)),
                (wa.min(wb) as i16, wa.max(wb) as i16)
            );
            assert_eq!(sad_s16(a, b, 7), (7 + (wa - wb).abs()) as i16);
            let (a, b) = (a as u16, b as u16);
            let (wa, wb) = (i64::from(a), i64::from(b));
            assert_eq!(add_u16(a, b), (wa + wb) as u16);
            assert_eq!(sub_u16(a, b), (wa - wb) as u16);
            assert_eq!(mul_lo_u16(a, b), (wa * wb) as u16);
            assert_eq!(mul_hi_u16(a, b), ((wa * wb) >> 16) as u16);
            assert_eq!(i64::from(mul_wide_u16(a, b)), wa * wb);
            assert_eq!(
                div_u16(a, b),
                if wb == 0 { u16::MAX } else { (wa / wb) as u16 }
            );
            assert_eq!(
                rem_u16(a, b),
                if wb == 0 { u16::MAX } else { (wa % wb) as u16 }
            );
            assert_eq!(
                (min_u16(a, b), max_u16(a, b)),
                (wa.min(wb) as u16, wa.max(wb) as u16)
            );
            assert_eq!(sad_u16(a, b, 7), (7 + (wa - wb).abs()) as u16);
        }
    }
}

/// `bfe` as the ISA describes it, bit by bit.
fn bfe_by_bits(a: u64, pos: u32, len: u32, msb: u32, signed: bool) -> u64 {
    let (pos, len) = (pos & 0xff, len & 0xff);
    let bit = |i: u32| a >> i & 1;
    let sign = if !signed || len == 0 {
        0
    } else {
        bit((pos + len - 1).min(msb))
    };
    (0..=msb).fold(0, |d, i| {
        d | (if i < len && pos + i <= msb {
            bit(pos + i)
        } else {
            sign
        }) << i
    })
}

/// `bfi` as the ISA describes it, bit by bit.
fn bfi_by_bits(a: u64, b: u64, pos: u32, len: u32, msb: u32) -> u64 {
    let (pos, len) = (pos & 0xff, len & 0xff);
    (0..len)
        .take_while(|i| pos + i <= msb)
        .fold(b, |f, i| f & !(1 << (pos + i)) | (a >> i & 1) << (pos + i))
}

#[test]
fn fields_agree_with_the_isa_for_all_positions_and_lengths() {
    for a in [
        0xdead_beef_0123_4567u64,
        0x8000_0000_8000_0000,
        0x7fff_ffff_7fff_ffff,
        !0,
        0x5555_aaaa_5555_aaaa,
    ] {
        for pos in 0..=255 {
            for len in 0..=255 {
                let low = u64::from(a as u32);
                assert_eq!(
                    u64::from(bfe_u32(a as u32, pos, len)),
                    bfe_by_bits(low, pos, len, 31, false),
                    "{pos} {len}"
                );
                assert_eq!(
                    u64::from(bfe_s32(a as i32, pos, len) as u32),
                    bfe_by_bits(low, pos, len, 31, true),
                    "{pos} {len}"
                );
                assert_eq!(
                    bfe_u64(a, pos, len),
                    bfe_by_bits(a, pos, len, 63, false),
                    "{pos} {len}"
                );
                assert_eq!(
                    bfe_s64(a as i64, pos, len) as u64,
                    bfe_by_bits(a, pos, len, 63, true),
                    "{pos} {len}"
                );
                let base = 0x0f0f_3333_1234_5678;
                assert_eq!(
                    u64::from(bfi_b32(a as u32, base as u32, pos, len)),
                    bfi_by_bits(low, base & 0xffff_ffff, pos, len, 31)
                );
                assert_eq!(
                    bfi_b64(a, base, pos, len),
                    bfi_by_bits(a, base, pos, len, 63)
                );
            }
        }
    }
}

/// `fns` as the ISA describes it.
fn fns_by_steps(mask: u32, base: u32, offset: i32) -> u32 {
    let set = |pos: i64| mask >> pos & 1 == 1;
    if offset == 0 {
        return if set(i64::from(base)) { base } else { !0 };
    }
    let (mut pos, mut count) = (i64::from(base), i64::from(offset).abs() - 1);
    while (0..32).contains(&pos) {
        if set(pos) {
            if count == 0 {
                return pos as u32;
            }
            count -= 1;
        }
        pos += i64::from(offset.signum());
    }
    !0
}

/// `bmsk` as the ISA describes it.
fn bmsk_by_masks(a: u32, b: u32, clamp: bool) -> u32 {
    let (a1, b1) = (a & 31, b & 31);
    let sum = a1 + b1;
    let mut mask0 = !0u32 << a1;
    let mut none_above = sum >= 32;
    if clamp {
        if a >= 32 {
            none_above = true;
            mask0 = 0;
        }
        none_above |= b >= 32;
    }
    let mask1 = if none_above {
        0
    } else if b1 == 0 {
        !0
    } else {
        !0 << sum
    };
    mask0 & !mask1
}

/// `szext` as the ISA describes it.
fn szext_by_masks(a: u32, b: u32, clamp: bool, signed: bool) -> u32 {
    let b1 = b & 31;
    let too_large = b >= 32 && clamp;
    let mask = if too_large { 0 } else { !0 << b1 };
    let sign = b1 != 0 && !too_large && signed && a >> (b1 - 1) & 1 == 1;
    (a & !mask) | if sign { mask } else { 0 }
}

#[test]
fn masks_and_extensions_agree_with_the_isa_for_all_small_operands() {
    for a in 0..70 {
        for b in 0..70 {
            assert_eq!(bmsk_clamp_b32(a, b), bmsk_by_masks(a, b, true), "{a} {b}");
            assert_eq!(bmsk_wrap_b32(a, b), bmsk_by_masks(a, b, false), "{a} {b}");
        }
        for x in [0, 1, 0x8000_0000, 0xffff_ffff, 0xdead_beef, 0x1234_5678] {
            assert_eq!(szext_clamp_u32(x, a), szext_by_masks(x, a, true, false));
            assert_eq!(szext_wrap_u32(x, a), szext_by_masks(x, a, false, false));
            assert_eq!(
                szext_clamp_s32(x as i32, a) as u32,
                szext_by_masks(x, a, true, true)
            );
            assert_eq!(
                szext_wrap_s32(x as i32, a) as u32,
                szext_by_masks(x, a, false, true)
            );
        }
    }
}

/// Returns any 64 bits. Extremes and small values are frequent.
fn bits() -> impl Strategy<Value = u64> {
    prop_oneof![
        any::<u64>(),
        prop::sample::select(vec![
            0,
            1,
            2,
            !0,
            1 << 31,
            1 << 63,
            (1 << 31) - 1,
            (1 << 63) - 1
        ]),
        0..64u64
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn arithmetic_agrees_with_i128_at_32_bits(a in bits(), b in bits(), c in bits()) {
        let (s, t, u) = (a as i32, b as i32, c as i32);
        let (ws, wt, wu) = (i128::from(s), i128::from(t), i128::from(u));
        prop_assert_eq!(i128::from(add_sat_s32(s, t)), (ws + wt).clamp(i32::MIN.into(), i32::MAX.into()));
        prop_assert_eq!(i128::from(sub_sat_s32(s, t)), (ws - wt).clamp(i32::MIN.into(), i32::MAX.into()));
        prop_assert_eq!(mul_hi_s32(s, t), ((ws * wt) >> 32) as i32);
        prop_assert_eq!(mul_wide_s32(s, t), (ws * wt) as i64);
        prop_assert_eq!(mad_hi_s32(s, t, u), (((ws * wt) >> 32) + wu) as i32);
        prop_assert_eq!(i128::from(mad_hi_sat_s32(s, t, u)), (((ws * wt) >> 32) + wu).clamp(i32::MIN.into(), i32::MAX.into()));
        prop_assert_eq!(mad_wide_s32(s, t, c as i64), (ws * wt + i128::from(c as i64)) as i64);
        let (ms, mt) = (i128::from(s << 8 >> 8), i128::from(t << 8 >> 8));
        prop_assert_eq!(mul24_lo_s32(s, t), (ms * mt) as i32);
        prop_assert_eq!(mul24_hi_s32(s, t), ((ms * mt) >> 16) as i32);
        prop_assert_eq!(mad24_lo_s32(s, t, u), (ms * mt + wu) as i32);
        prop_assert_eq!(mad24_hi_s32(s, t, u), (((ms * mt) >> 16) + wu) as i32);
        prop_assert_eq!(i128::from(mad24_hi_sat_s32(s, t, u)), (((ms * mt) >> 16) + wu).clamp(i32::MIN.into(), i32::MAX.into()));
        prop_assert_eq!(sad_s32(s, t, u), (wu + (ws - wt).abs()) as i32);
        if t != 0 {
            prop_assert_eq!((div_s32(s, t), rem_s32(s, t)), ((ws / wt) as i32, (ws % wt) as i32));
        }
        let (s, t, u) = (a as u32, b as u32, c as u32);
        let (ws, wt, wu) = (i128::from(s), i128::from(t), i128::from(u));
        prop_assert_eq!(add_u32(s, t), (ws + wt) as u32);
        prop_assert_eq!(sub_u32(s, t), (ws - wt) as u32);
        prop_assert_eq!(mul_lo_u32(s, t), (ws * wt) as u32);
        prop_assert_eq!(mul_hi_u32(s, t), ((ws * wt) >> 32) as u32);
        prop_assert_eq!(mul_wide_u32(s, t), (ws * wt) as u64);
        prop_assert_eq!(mad_hi_u32(s, t, u), (((ws * wt) >> 32) + wu) as u32);
        prop_assert_eq!(mad_lo_u32(s, t, u), (ws * wt + wu) as u32);
        prop_assert_eq!(sad_u32(s, t, u), (wu + (ws - wt).abs()) as u32);
        let (ms, mt) = (ws & 0xff_ffff, wt & 0xff_ffff);
        prop_assert_eq!(mul24_lo_u32(s, t), (ms * mt) as u32);
        prop_assert_eq!(mul24_hi_u32(s, t), ((ms * mt) >> 16) as u32);
        prop_assert_eq!(mad24_hi_u32(s, t, u), (((ms * mt) >> 16) + wu) as u32);
    }

    #[test]
    fn arithmetic_agrees_with_i128_at_64_bits(a in bits(), b in bits(), c in bits()) {
        let (s, t, u) = (a as i64, b as i64, c as i64);
        let (ws, wt, wu) = (i128::from(s), i128::from(t), i128::from(u));
        prop_assert_eq!(add_u64(a, b), (ws + wt) as u64);
        prop_assert_eq!(sub_u64(a, b), (ws - wt) as u64);
        prop_assert_eq!(mul_hi_s64(s, t), ((ws * wt) >> 64) as i64);
        prop_assert_eq!(mad_hi_s64(s, t, u), (((ws * wt) >> 64) + wu) as i64);
        prop_assert_eq!(sad_s64(s, t, u), (wu + (ws - wt).abs()) as i64);
        if t != 0 {
            prop_assert_eq!((div_s64(s, t), rem_s64(s, t)), ((ws / wt) as i64, (ws % wt) as i64));
        }
        let product = u128::from(a) * u128::from(b);
        prop_assert_eq!((mul_lo_u64(a, b), mul_hi_u64(a, b)), (product as u64, (product >> 64) as u64));
        prop_assert_eq!(mad_hi_u64(a, b, c), ((product >> 64) as u64).wrapping_add(c));
        prop_assert_eq!((min_s64(s, t), max_s64(s, t)), (s.min(t), s.max(t)));
        prop_assert_eq!((min_u64(a, b), max_u64(a, b)), (a.min(b), a.max(b)));
    }

    #[test]
    fn carries_chain_into_wide_arithmetic(a in any::<u128>(), b in any::<u128>()) {
        let (low, carry) = addc_u64(a as u64, b as u64, false);
        let (high, out) = addc_u64((a >> 64) as u64, (b >> 64) as u64, carry);
        prop_assert_eq!((u128::from(high) << 64 | u128::from(low), out), a.overflowing_add(b));
        // A subtraction's carry is set if there is no borrow. An addition may use this carry.
        let (low, carry) = subc_u64(a as u64, b as u64, true);
        let (high, out) = subc_u64((a >> 64) as u64, (b >> 64) as u64, carry);
        let (difference, borrow) = a.overflowing_sub(b);
        prop_assert_eq!((u128::from(high) << 64 | u128::from(low), out), (difference, !borrow));
        prop_assert_eq!(addc_u32(0, 0, out).0, u32::from(a >= b));
        // The ISA's example: a 64 x 64 bit product from 32-bit words.
        let (x, y) = (a as u64, b as u64);
        let (r4, r5, r6, r7) = (x as u32, (x >> 32) as u32, y as u32, (y >> 32) as u32);
        let r0 = mul_lo_u32(r4, r6);
        let (r1, cf) = madc_lo_u32(r5, r6, mul_hi_u32(r4, r6), false);
        let (r2, _) = madc_hi_u32(r5, r6, 0, cf);
        let (r1, cf) = madc_lo_u32(r4, r7, r1, false);
        let (r2, cf) = madc_hi_u32(r4, r7, r2, cf);
        let (r3, _) = addc_u32(0, 0, cf);
        let (r2, cf) = madc_lo_u32(r5, r7, r2, false);
        let (r3, _) = madc_hi_u32(r5, r7, r3, cf);
        let words = [r0, r1, r2, r3].iter().rev().fold(0u128, |wide, &word| wide << 32 | u128::from(word));
        prop_assert_eq!(words, u128::from(x) * u128::from(y));
    }

    #[test]
    fn bit_searches_agree_with_the_isa(a in bits(), base in 0..32u32, offset in -40..40i32) {
        let highest = |x: u64, width: u32| (0..width).rev().find(|i| x >> i & 1 == 1).unwrap_or(!0);
        prop_assert_eq!(bfind_u64(a), highest(a, 64));
        prop_assert_eq!(bfind_u32(a as u32), highest(u64::from(a as u32), 32));
        prop_assert_eq!(bfind_s64(a as i64), highest(if (a as i64) < 0 { !a } else { a }, 64));
        let s = a as i32;
        prop_assert_eq!(bfind_s32(s), highest(u64::from(if s < 0 { !s } else { s } as u32), 32));
        let shift = |found: u32, msb: u32| if found == !0 { !0 } else { msb - found };
        prop_assert_eq!(bfind_shiftamt_u64(a), shift(bfind_u64(a), 63));
        prop_assert_eq!(bfind_shiftamt_s64(a as i64), shift(bfind_s64(a as i64), 63));
        prop_assert_eq!(bfind_shiftamt_u32(a as u32), shift(bfind_u32(a as u32), 31));
        prop_assert_eq!(bfind_shiftamt_s32(s), shift(bfind_s32(s), 31));
        prop_assert_eq!(fns_b32(a as u32, base, offset), fns_by_steps(a as u32, base, offset));
        prop_assert_eq!(popc_b64(a), (0..64).map(|i| (a >> i & 1) as u32).sum::<u32>());
        prop_assert_eq!(brev_b32(a as u32), (0..32).fold(0, |r, i| r | (a as u32 >> i & 1) << (31 - i)));
    }

    #[test]
    fn dot_products_agree_with_i128(a in any::<u32>(), b in any::<u32>(), c in any::<u32>()) {
        let byte = |x: u32, i: u32, signed: bool| {
            let byte = (x >> (8 * i)) as u8;
            if signed { i128::from(byte as i8) } else { i128::from(byte) }
        };
        let half = |x: u32, i: u32, signed: bool| {
            let half = (x >> (16 * i)) as u16;
            if signed { i128::from(half as i16) } else { i128::from(half) }
        };
        let dp4a = |sa, sb| (i128::from(c) + (0..4).map(|i| byte(a, i, sa) * byte(b, i, sb)).sum::<i128>()) as u32;
        prop_assert_eq!(dp4a_u32_u32(a, b, c), dp4a(false, false));
        prop_assert_eq!(dp4a_u32_s32(a, b, c), dp4a(false, true));
        prop_assert_eq!(dp4a_s32_u32(a, b, c), dp4a(true, false));
        prop_assert_eq!(dp4a_s32_s32(a, b, c), dp4a(true, true));
        let dp2a = |sa, sb, from| {
            (i128::from(c) + (0..2).map(|i| half(a, i, sa) * byte(b, from + i, sb)).sum::<i128>()) as u32
        };
        prop_assert_eq!(dp2a_lo_u32_u32(a, b, c), dp2a(false, false, 0));
        prop_assert_eq!(dp2a_lo_u32_s32(a, b, c), dp2a(false, true, 0));
        prop_assert_eq!(dp2a_lo_s32_u32(a, b, c), dp2a(true, false, 0));
        prop_assert_eq!(dp2a_lo_s32_s32(a, b, c), dp2a(true, true, 0));
        prop_assert_eq!(dp2a_hi_u32_u32(a, b, c), dp2a(false, false, 2));
        prop_assert_eq!(dp2a_hi_u32_s32(a, b, c), dp2a(false, true, 2));
        prop_assert_eq!(dp2a_hi_s32_u32(a, b, c), dp2a(true, false, 2));
        prop_assert_eq!(dp2a_hi_s32_s32(a, b, c), dp2a(true, true, 2));
    }

    #[test]
    fn packed_halves_do_not_touch_each_other(a in any::<u32>(), b in any::<u32>()) {
        let both = |op: fn(u16, u16) -> u16| {
            u32::from(op((a >> 16) as u16, (b >> 16) as u16)) << 16 | u32::from(op(a as u16, b as u16))
        };
        prop_assert_eq!(add_u16x2(a, b), both(add_u16));
        prop_assert_eq!(add_s16x2(a, b), both(add_u16));
        prop_assert_eq!(min_u16x2(a, b), both(min_u16));
        prop_assert_eq!(max_u16x2(a, b), both(max_u16));
        prop_assert_eq!(min_s16x2(a, b), both(|a, b| min_s16(a as i16, b as i16) as u16));
        prop_assert_eq!(max_s16x2(a, b), both(|a, b| max_s16(a as i16, b as i16) as u16));
        prop_assert_eq!(min_relu_s16x2(a, b), both(|a, b| max_s16(min_s16(a as i16, b as i16), 0) as u16));
        prop_assert_eq!(max_relu_s16x2(a, b), both(|a, b| max_s16(max_s16(a as i16, b as i16), 0) as u16));
    }
}
