//! Logic, shifts and byte permutation: H200 corner values, and the ISA's pseudo-code over
//! whole small domains.

use crate::semantics::logic::*;
use proptest::prelude::*;

#[test]
fn shifts_clamp_as_measured() {
    assert_eq!((shl_b32(0xdead_beef, 32), shl_b32(1, 31)), (0, 1 << 31));
    assert_eq!((shr_s32(-2, 40), shr_s32(2, 40)), (-1, 0));
}

#[test]
fn shifts_agree_with_wide_shifts_for_all_amounts() {
    for amount in (0..140).chain([255, 256, 1 << 16, 1 << 31, u32::MAX]) {
        let clamped = amount.min(100);
        for x in [
            0u64,
            1,
            0x8000_8000_8000_8000,
            !0,
            0x7fff_7fff_7fff_7fff,
            0xdead_beef_1234_5678,
        ] {
            let (wide, signed) = (u128::from(x), |x: i64| i128::from(x));
            assert_eq!(
                shl_b64(x, amount),
                if amount < 64 {
                    (wide << clamped) as u64
                } else {
                    0
                }
            );
            assert_eq!(
                shl_b32(x as u32, amount),
                if amount < 32 {
                    (wide << clamped) as u32
                } else {
                    0
                }
            );
            assert_eq!(
                shl_b16(x as u16, amount),
                if amount < 16 {
                    (wide << clamped) as u16
                } else {
                    0
                }
            );
            assert_eq!(shr_u64(x, amount), (wide >> clamped) as u64);
            assert_eq!(
                shr_u32(x as u32, amount),
                (u128::from(x as u32) >> clamped) as u32
            );
            assert_eq!(
                shr_u16(x as u16, amount),
                (u128::from(x as u16) >> clamped) as u16
            );
            assert_eq!(
                shr_s64(x as i64, amount),
                (signed(x as i64) >> clamped) as i64
            );
            assert_eq!(
                shr_s32(x as i32, amount),
                (signed((x as i32).into()) >> clamped) as i32
            );
            assert_eq!(
                shr_s16(x as i16, amount),
                (signed((x as i16).into()) >> clamped) as i16
            );
        }
    }
}

#[test]
fn lop3_follows_its_table_for_all_256_functions() {
    let (a, b, c) = (0xf0f0_a5a5, 0xcccc_3c3c, 0xaaaa_0ff0);
    for table in 0..=255u8 {
        let by_bits = (0..32).fold(0, |d, i| {
            let index = (a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1);
            d | (u32::from(table) >> index & 1) << i
        });
        assert_eq!(lop3_b32(a, b, c, table), by_bits, "table {table:#x}");
    }
    // The ISA's examples of how a table is made.
    assert_eq!(lop3_b32(a, b, c, 0x80), a & b & c);
    assert_eq!(lop3_b32(a, b, c, 0xfe), a | b | c);
    assert_eq!(lop3_b32(a, b, c, 0x40), a & b & !c);
    assert_eq!(lop3_b32(a, b, c, 0x1a), (a & b | c) ^ a);
}

#[test]
fn prmt_selects_bytes_and_signs_for_all_selectors() {
    let (a, b) = (0x8382_8180, 0x7776_75f4u32);
    let bytes: Vec<u8> = [a, b]
        .iter()
        .flat_map(|word: &u32| word.to_le_bytes())
        .collect();
    for selectors in 0..=0xffff {
        let expected: Vec<u8> = (0..4)
            .map(|i| selectors >> (4 * i) & 0xf)
            .map(|s| {
                if s < 8 {
                    bytes[s as usize]
                } else {
                    [0, 0xff][usize::from(bytes[s as usize - 8] >> 7)]
                }
            })
            .collect();
        assert_eq!(
            prmt_b32(a, b, selectors).to_le_bytes().as_slice(),
            expected,
            "selectors {selectors:#x}"
        );
    }
    assert_eq!(
        prmt_b32(a, b, 0xdead_0000 | 0x3210),
        a,
        "bits above 15 do not count"
    );
}

#[test]
fn prmt_modes_follow_the_isa_table() {
    let (a, b) = (0x8382_8180, 0x8786_8584);
    assert_eq!(prmt_ecl_b32(a, b, 2), 0x8382_8282, "measured");
    // Rows of the ISA's table: the byte numbers of d.b3 to d.b0 for c = 0 to 3.
    let check = |mode: fn(u32, u32, u32) -> u32, rows: [[u32; 4]; 4]| {
        for (c, row) in (0u32..).zip(rows) {
            let expected = row.iter().fold(0, |d, byte| d << 8 | (0x80 + byte));
            assert_eq!(mode(a, b, c), expected);
            assert_eq!(
                mode(a, b, c | 0xfffc),
                expected,
                "only the two low bits of c count"
            );
        }
    };
    check(
        prmt_f4e_b32,
        [[3, 2, 1, 0], [4, 3, 2, 1], [5, 4, 3, 2], [6, 5, 4, 3]],
    );
    check(
        prmt_b4e_b32,
        [[5, 6, 7, 0], [6, 7, 0, 1], [7, 0, 1, 2], [0, 1, 2, 3]],
    );
    check(
        prmt_rc8_b32,
        [[0, 0, 0, 0], [1, 1, 1, 1], [2, 2, 2, 2], [3, 3, 3, 3]],
    );
    check(
        prmt_ecl_b32,
        [[3, 2, 1, 0], [3, 2, 1, 1], [3, 2, 2, 2], [3, 3, 3, 3]],
    );
    check(
        prmt_ecr_b32,
        [[0, 0, 0, 0], [1, 1, 1, 0], [2, 2, 1, 0], [3, 2, 1, 0]],
    );
    check(
        prmt_rc16_b32,
        [[1, 0, 1, 0], [3, 2, 3, 2], [1, 0, 1, 0], [3, 2, 3, 2]],
    );
}

#[test]
fn cnot_is_one_for_zero_alone() {
    assert!((0..=u16::MAX).all(|x| cnot_b16(x) == u16::from(x == 0)));
    assert_eq!(
        (
            cnot_b32(0),
            cnot_b32(1 << 31),
            cnot_b64(0),
            cnot_b64(1 << 63)
        ),
        (1, 0, 1, 0)
    );
}

proptest! {
    #[test]
    fn funnel_shifts_agree_with_the_isa(a in any::<u32>(), b in any::<u32>(), c in prop_oneof![0..70u32, any::<u32>()]) {
        // The ISA's words, at a width where a shift by 32 is one.
        let left = |n: u32| ((u64::from(b) << n) | (u64::from(a) >> (32 - n))) as u32;
        let right = |n: u32| ((u64::from(b) << (32 - n)) | (u64::from(a) >> n)) as u32;
        prop_assert_eq!(shf_l_wrap_b32(a, b, c), left(c & 31));
        prop_assert_eq!(shf_l_clamp_b32(a, b, c), left(c.min(32)));
        prop_assert_eq!(shf_r_wrap_b32(a, b, c), right(c & 31));
        prop_assert_eq!(shf_r_clamp_b32(a, b, c), right(c.min(32)));
    }
}
