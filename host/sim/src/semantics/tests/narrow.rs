//! `cvt` to narrower floats, compared with exact values. Formats of 8 bits are compared with a
//! search through all their numbers.

use crate::semantics::Rounding::{Down, Nearest, Up, Zero};
use crate::semantics::convert::*;
use crate::semantics::exact::{BF16, Exact, F16, F32, F64};
use crate::semantics::half::unpack;
use half::{bf16, f16};
use proptest::prelude::*;
use std::sync::LazyLock;

/// Returns any f64 bits. Values near the ranges of the narrow types are more frequent.
fn doubles() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<u64>(),
        (any::<u64>(), 0x3e0..0x410u64).prop_map(|(x, e)| x & 0x800f_ffff_ffff_ffff | e << 52),
        (any::<u64>(), 0x360..0x480u64).prop_map(|(x, e)| x & 0x800f_ffff_c000_0000 | e << 52),
        (any::<u64>(), 0x3e0..0x410u64).prop_map(|(x, e)| x & 0x800f_fc00_0000_0000 | e << 52),
    ]
    .prop_map(f64::from_bits)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    fn floats_narrow_in_every_rounding(x in doubles()) {
        let x = if x.is_finite() { x } else { 1.5 };
        let exact = Exact::from_f64(x);
        let f32s = [cvt_rn_f32_f64(x), cvt_rz_f32_f64(x), cvt_rm_f32_f64(x), cvt_rp_f32_f64(x)];
        let f16s = [cvt_rn_f16(x), cvt_rz_f16(x), cvt_rm_f16(x), cvt_rp_f16(x)];
        let bf16s = [cvt_rn_bf16(x), cvt_rz_bf16(x), cvt_rm_bf16(x), cvt_rp_bf16(x)];
        for (i, rounding) in [Nearest, Zero, Down, Up].into_iter().enumerate() {
            prop_assert_eq!(u64::from(f32s[i].to_bits()), exact.round(F32, rounding), "{} {:?}", x, rounding);
            prop_assert_eq!(u64::from(f16s[i].to_bits()), exact.round(F16, rounding), "{} {:?}", x, rounding);
            prop_assert_eq!(u64::from(bf16s[i].to_bits()), exact.round(BF16, rounding), "{} {:?}", x, rounding);
        }
        // From f32 the value differs, but the property is the same.
        let single = x as f32;
        if single.is_finite() {
            let exact = Exact::from_f64(single.into());
            prop_assert_eq!(u64::from(cvt_rn_f16(single).to_bits()), exact.round(F16, Nearest));
            prop_assert_eq!(u64::from(cvt_rp_bf16(single).to_bits()), exact.round(BF16, Up));
        }
    }

    #[test]
    fn integers_become_floats_in_every_rounding(bits in any::<u64>(), shift in 0..64u32) {
        macro_rules! check {
            ($($t:ty),+) => {$({
                let x = (bits >> shift) as $t;
                let exact = Exact::from_int(x.into());
                let f32s = [cvt_rn_f32(x), cvt_rz_f32(x), cvt_rm_f32(x), cvt_rp_f32(x)].map(f32::to_bits);
                let f64s = [cvt_rn_f64(x), cvt_rz_f64(x), cvt_rm_f64(x), cvt_rp_f64(x)].map(f64::to_bits);
                let f16s = [cvt_rn_f16(x), cvt_rz_f16(x), cvt_rm_f16(x), cvt_rp_f16(x)].map(f16::to_bits);
                let bf16s = [cvt_rn_bf16(x), cvt_rz_bf16(x), cvt_rm_bf16(x), cvt_rp_bf16(x)].map(bf16::to_bits);
                for (i, rounding) in [Nearest, Zero, Down, Up].into_iter().enumerate() {
                    prop_assert_eq!(u64::from(f32s[i]), exact.round(F32, rounding), "{} {:?}", x, rounding);
                    prop_assert_eq!(f64s[i], exact.round(F64, rounding), "{} {:?}", x, rounding);
                    prop_assert_eq!(u64::from(f16s[i]), exact.round(F16, rounding), "{} {:?}", x, rounding);
                    prop_assert_eq!(u64::from(bf16s[i]), exact.round(BF16, rounding), "{} {:?}", x, rounding);
                }
            })+};
        }
        check!(u8, i8, u16, i16, u32, i32, u64, i64);
    }

    #[test]
    fn tf32_drops_13_bits(bits in any::<u32>()) {
        let x = f32::from_bits(bits);
        if x.is_finite() {
            let (down, up) = (bits & !0x1fff, (bits & !0x1fff) + 0x2000);
            let rest = bits & 0x1fff;
            prop_assert_eq!(cvt_rz_tf32_f32(x).to_bits(), down);
            prop_assert_eq!(cvt_rna_tf32_f32(x).to_bits(), if rest >= 0x1000 { up } else { down });
            let even = if bits & 0x2000 == 0 { down } else { up };
            let nearest = match rest { 0x1000 => even, 0..0x1000 => down, _ => up };
            prop_assert_eq!(cvt_rn_tf32_f32(x).to_bits(), nearest);
            prop_assert!(satfinite_tf32(cvt_rn_tf32_f32(x)).is_finite());
        }
    }

    #[test]
    fn tiny_formats_take_the_nearest_of_all_their_numbers(bits in any::<u32>(), exponent in 110..140u32, cut in 0..23u32) {
        let x = f32::from_bits(bits & 0x807f_ffff & (!0 << cut) | exponent << 23);
        let widen = [cvt_rn_f16x2_e4m3x2, cvt_rn_f16x2_e5m2x2, cvt_rn_f16x2_e2m3x2, cvt_rn_f16x2_e3m2x2];
        let narrow = [
            cvt_rn_satfinite_e4m3x2_f32,
            cvt_rn_satfinite_e5m2x2_f32,
            cvt_rn_satfinite_e2m3x2_f32,
            cvt_rn_satfinite_e3m2x2_f32,
        ];
        for ((widen, narrow), numbers) in widen.into_iter().zip(narrow).zip(&*TINY) {
            prop_assert_eq!(narrow(1.0, x) & 0xff, nearest(x, numbers));
            prop_assert_eq!(low(widen(narrow(x, 1.0))), 1.0);
        }
        prop_assert_eq!(u16::from(cvt_rn_satfinite_e2m1x2_f32(0.0, x)), nearest(x, &TINY[4]));
    }
}

/// Returns the low half of a pair, as f32.
fn low(pair: u32) -> f32 {
    unpack::<f16>(pair)[0].to_f32()
}

/// The value of each code of e4m3, e5m2, e2m3, e3m2 and e2m1.
static TINY: LazyLock<[Vec<f32>; 5]> = LazyLock::new(|| {
    let all = |width: u32, value: fn(u16) -> u32| {
        let codes = 0..1u16 << width;
        codes.map(|code| low(value(code))).collect()
    };
    [
        all(8, cvt_rn_f16x2_e4m3x2),
        all(8, cvt_rn_f16x2_e5m2x2),
        all(6, cvt_rn_f16x2_e2m3x2),
        all(6, cvt_rn_f16x2_e3m2x2),
        all(4, |code| cvt_rn_f16x2_e2m1x2(code as u8)),
    ]
});

/// Returns the code of the finite one of `numbers` that is nearest to `x`. Ties go to the even
/// code. Of two zeros, it is the one with the sign of `x`.
fn nearest(x: f32, numbers: &[f32]) -> u16 {
    let codes = (0u16..).zip(numbers);
    codes
        .filter(|(_, y)| y.is_finite() && y.is_sign_negative() == x.is_sign_negative())
        .map(|(code, &y)| (code, (f64::from(y) - f64::from(x)).abs()))
        .min_by(|(a, to_a), (b, to_b)| to_a.total_cmp(to_b).then((a & 1).cmp(&(b & 1))))
        .expect("every format has numbers of both signs")
        .0
}

#[test]
fn known_codes_of_tiny_formats() {
    assert_eq!(cvt_rn_satfinite_e4m3x2_f32(448.0, 1e9), 0x7e7e);
    assert_eq!(
        cvt_rn_satfinite_e4m3x2_f32(f32::NAN, f32::NEG_INFINITY),
        0x7ffe
    );
    assert_eq!(cvt_rn_satfinite_e5m2x2_f32(57344.0, f32::INFINITY), 0x7b7b);
    assert_eq!(cvt_rn_satfinite_e2m3x2_f32(f32::NAN, -7.5), 0x1f3f);
    assert_eq!(cvt_rn_satfinite_e2m1x2_f32(6.0, -0.5), 0x79);
    assert_eq!(
        unpack::<f16>(cvt_rn_f16x2_e5m2x2(0xfc7c)),
        [f16::INFINITY, f16::NEG_INFINITY]
    );
    assert_eq!(cvt_rn_f16x2_e4m3x2(0x7f38), 0x7fff_3c00);
    assert_eq!(
        cvt_rn_satfinite_e4m3x2_f16x2(cvt_rn_f16x2_e4m3x2(0x1234)),
        0x1234
    );
    assert_eq!(
        (e4m3_to_f32(0x01), e5m2_to_f32(0x01)),
        (1.0 / 512.0, 1.0 / 65536.0)
    );
}

#[test]
fn ue8m0_takes_powers_of_two() {
    assert_eq!(
        (
            cvt_ue8m0_f32(1.0, Zero, false),
            cvt_ue8m0_f32(1.5, Zero, false),
            cvt_ue8m0_f32(1.5, Up, false)
        ),
        (127, 127, 128)
    );
    assert_eq!(
        (
            cvt_ue8m0_f32(0.0, Up, false),
            cvt_ue8m0_f32(f32::from_bits(0x0040_0001), Up, false)
        ),
        (0, 1)
    );
    assert_eq!(
        (
            cvt_ue8m0_f32(f32::MAX, Up, false),
            cvt_ue8m0_f32(f32::MAX, Up, true)
        ),
        (0xff, 0xfe)
    );
    assert_eq!(
        (
            cvt_ue8m0_f32(f32::NAN, Up, true),
            cvt_ue8m0_f32(f32::MAX, Zero, true)
        ),
        (0xff, 0xfe)
    );
    for code in 1..0xff {
        assert_eq!(
            cvt_ue8m0_f32(cvt_bf16_ue8m0(code).to_f32(), Zero, true),
            code
        );
    }
    assert_eq!(
        (cvt_bf16_ue8m0(0).to_f32(), cvt_bf16_ue8m0(0xff).is_nan()),
        (2f32.powi(-127), true)
    );
}

#[test]
fn saturation_and_nan_of_halves() {
    assert_eq!(
        (
            satfinite_f16(f16::INFINITY),
            satfinite_f16(f16::NEG_INFINITY)
        ),
        (f16::MAX, f16::MIN)
    );
    assert_eq!(
        (
            satfinite_bf16(bf16::INFINITY),
            relu_bf16(bf16::NEG_INFINITY)
        ),
        (bf16::MAX, bf16::ZERO)
    );
    assert_eq!(
        (
            relu_f16(f16::NAN).to_bits(),
            relu_f16(f16::NEG_ZERO).to_bits()
        ),
        (0x7fff, 0)
    );
    assert_eq!(
        (
            cvt_rz_f16(f64::NAN).to_bits(),
            cvt_rz_f16(f32::INFINITY).to_bits()
        ),
        (0x7fff, 0x7c00)
    );
    // Measured on an H200, 2026-11-21.
    let special = [
        (0x7f80_0001, 0x7f80_0000, 0x7f7f_e000, 0x7fff_e000),
        (0xff80_0001, 0xff80_0000, 0xff7f_e000, 0x7fff_e000),
        (0x7f80_3000, 0x7f80_2000, 0x7f80_0000, 0x7fff_e000),
        (0x7fff_ffff, 0x7fff_e000, 0x7fff_c000, 0x7fff_e000),
        (0x7f7f_ffff, 0x7f80_0000, 0x7f7f_e000, 0x7f80_0000),
        (0x7f80_0000, 0x7f80_0000, 0x7f7f_e000, 0x7f80_0000),
    ];
    for (bits, away, finite, nearest) in special {
        let x = f32::from_bits(bits);
        assert_eq!(cvt_rna_tf32_f32(x).to_bits(), away, "{bits:x}");
        assert_eq!(cvt_rna_satfinite_tf32_f32(x).to_bits(), finite, "{bits:x}");
        assert_eq!(cvt_rn_tf32_f32(x).to_bits(), nearest, "{bits:x}");
    }
    assert_eq!(satfinite_tf32(f32::NEG_INFINITY).to_bits(), 0xff7f_e000);
    assert_eq!(
        (relu_f32(-0.0).to_bits(), relu_f32(f32::NAN).to_bits()),
        (0, 0x7fff_ffff)
    );
    assert_eq!(
        (
            cvt_f64_f16(f16::from_bits(1)),
            cvt_f64_bf16(bf16::from_bits(1))
        ),
        (2f64.powi(-24), 2f64.powi(-133))
    );
}

#[test]
fn halves_become_integers_and_whole_halves() {
    for bits in 0..=u16::MAX {
        let x = f16::from_bits(bits);
        assert_eq!(cvt_rzi::<i32, f16>(x), x.to_f32() as i32);
        assert_eq!(cvt_rmi::<u8, f16>(x), x.to_f32().floor() as u8);
        let whole = cvt_rni_whole(x);
        assert!(whole.is_nan() && x.is_nan() || whole.to_f32() == x.to_f32().round_ties_even());
        let x = bf16::from_bits(bits);
        assert_eq!(cvt_rpi::<i16, bf16>(x), x.to_f32().ceil() as i16);
    }
}
