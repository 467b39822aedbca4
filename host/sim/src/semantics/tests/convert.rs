//! `cvt`: H200 corner values and wide references.

use crate::semantics::convert::*;
use proptest::prelude::*;

#[test]
fn float_to_integer_saturates_as_measured() {
    assert_eq!(
        (cvt_rzi::<u8, f32>(300.0), cvt_rzi::<i8, f32>(-300.0)),
        (0xff, -128)
    );
    assert_eq!(
        (
            cvt_rzi::<u32, f32>(-1.0),
            cvt_rzi::<u64, f64>(-1.0),
            cvt_rzi::<u32, f64>(-5.0)
        ),
        (0, 0, 0)
    );
    assert_eq!(
        (
            cvt_rzi::<i32, f32>(f32::INFINITY),
            cvt_rzi::<u64, f32>(f32::INFINITY)
        ),
        (i32::MAX, u64::MAX)
    );
    assert_eq!(
        (cvt_rzi::<i32, f64>(-1e10), cvt_rzi::<i64, f64>(-1e30)),
        (i32::MIN, i64::MIN)
    );
}

#[test]
fn nan_to_integer_is_as_measured() {
    assert_eq!(
        (cvt_rzi::<i32, f32>(f32::NAN), cvt_rzi::<u32, f32>(f32::NAN)),
        (0, 0)
    );
    assert_eq!(
        (cvt_rzi::<i64, f32>(f32::NAN), cvt_rzi::<u64, f32>(f32::NAN)),
        (i64::MIN, 1 << 63)
    );
    assert_eq!(
        (cvt_rzi::<i64, f64>(f64::NAN), cvt_rzi::<u64, f64>(f64::NAN)),
        (i64::MIN, 1 << 63)
    );
    assert_eq!(
        (cvt_rzi::<i32, f64>(f64::NAN), cvt_rzi::<u32, f64>(f64::NAN)),
        (i32::MIN, 1 << 31)
    );
}

#[test]
fn truncation_is_rusts_for_numbers_across_all_of_f32() {
    for x in (0..=u32::MAX)
        .step_by(16_411)
        .chain(0x4efffff0..0x4f000010)
        .map(f32::from_bits)
        .filter(|x| !x.is_nan())
    {
        for x in [x, -x] {
            assert_eq!(
                (cvt_rzi::<i32, f32>(x), cvt_rzi::<u32, f32>(x)),
                (x as i32, x as u32),
                "{x}"
            );
            assert_eq!(
                (cvt_rzi::<i64, f32>(x), cvt_rzi::<u64, f32>(x)),
                (x as i64, x as u64),
                "{x}"
            );
            assert_eq!(
                (cvt_rzi::<i16, f32>(x), cvt_rzi::<u16, f32>(x)),
                (x as i16, x as u16),
                "{x}"
            );
            assert_eq!(
                (cvt_rzi::<i8, f32>(x), cvt_rzi::<u8, f32>(x)),
                (x as i8, x as u8),
                "{x}"
            );
            let x = f64::from(x) * 1.000_000_1;
            assert_eq!(
                (cvt_rzi::<i32, f64>(x), cvt_rzi::<u32, f64>(x)),
                (x as i32, x as u32),
                "{x}"
            );
            assert_eq!(
                (cvt_rzi::<i64, f64>(x), cvt_rzi::<u64, f64>(x)),
                (x as i64, x as u64),
                "{x}"
            );
        }
    }
}

#[test]
fn nan_between_f32_and_f64_keeps_its_payload_as_measured() {
    assert_eq!(
        cvt_f64_f32(f32::from_bits(0x7f81_2345)).to_bits(),
        0x7ff8_2468_a000_0000
    );
    assert_eq!(
        cvt_rn_f32_f64(f64::from_bits(0x7ff4_0000_1234_5678)).to_bits(),
        0x7fe0_0000
    );
    assert_eq!(
        cvt_rni_whole(f32::from_bits(0xff81_2345)).to_bits(),
        0x7fff_ffff
    );
}

#[test]
fn whole_numbers_round_each_way() {
    let cases: [(f32, [f32; 4]); 6] = [
        (2.5, [2.0, 2.0, 2.0, 3.0]),
        (3.5, [4.0, 3.0, 3.0, 4.0]),
        (-2.5, [-2.0, -2.0, -3.0, -2.0]),
        (-0.25, [-0.0, -0.0, -1.0, -0.0]),
        (0.75, [1.0, 0.0, 0.0, 1.0]),
        (8388609.0, [8388609.0; 4]),
    ];
    for (x, expected) in cases {
        let got = [
            cvt_rni_whole(x),
            cvt_rzi_whole(x),
            cvt_rmi_whole(x),
            cvt_rpi_whole(x),
        ];
        assert_eq!(got.map(f32::to_bits), expected.map(f32::to_bits), "{x}");
        let wide = f64::from(x);
        let got = [
            cvt_rni::<i64, f64>(wide),
            cvt_rzi(wide),
            cvt_rmi(wide),
            cvt_rpi(wide),
        ];
        assert_eq!(got, expected.map(|x| x as i64), "{x}");
    }
}

#[test]
fn integers_narrow_by_dropping_bits_or_saturating() {
    for x in i16::MIN..=i16::MAX {
        assert_eq!((cvt::<u8, i16>(x), cvt::<i8, i16>(x)), (x as u8, x as i8));
        assert_eq!(
            (cvt_sat::<u8, i16>(x), cvt_sat::<i8, i16>(x)),
            (x.clamp(0, 255) as u8, x.clamp(-128, 127) as i8)
        );
        assert_eq!(
            (
                cvt::<i64, i16>(x),
                cvt::<u64, i16>(x),
                cvt::<u32, u16>(x as u16)
            ),
            (x.into(), x as u64, u32::from(x as u16))
        );
        assert_eq!(cvt_sat::<u64, i16>(x), x.max(0) as u64);
        assert_eq!(
            (cvt_sat::<i16, u16>(x as u16), cvt_sat::<u16, i16>(x)),
            ((x as u16).min(32767) as i16, x.max(0) as u16)
        );
    }
    assert_eq!(
        (
            cvt_sat::<i64, u64>(!0),
            cvt_sat::<u32, i64>(-1),
            cvt_sat::<i32, u64>(1 << 40)
        ),
        (i64::MAX, 0, i32::MAX)
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    fn float_to_integer_agrees_with_exact_arithmetic(mantissa in any::<i32>(), exponent in -40..70i32) {
        let x = f64::from(mantissa) * f64::from(exponent).exp2();
        // The exact value is mantissa * 2^exponent: floor, remainder and tie are
        // visible as integers.
        let (floor, fraction, half) = if exponent >= 0 {
            (i128::from(mantissa) << exponent, 0, 1)
        } else {
            let unit = 1i128 << -exponent;
            (i128::from(mantissa).div_euclid(unit), i128::from(mantissa).rem_euclid(unit), unit / 2)
        };
        let up = floor + i128::from(fraction != 0);
        let zero = if mantissa < 0 { up } else { floor };
        let nearest = if fraction > half || fraction == half && floor % 2 != 0 && fraction != 0 { up } else { floor };
        macro_rules! check {
            ($($t:ty),+) => {$(
                let clamp = |x: i128| x.clamp(i128::from(<$t>::MIN), i128::from(<$t>::MAX)) as $t;
                prop_assert_eq!(cvt_rmi::<$t, f64>(x), clamp(floor));
                prop_assert_eq!(cvt_rpi::<$t, f64>(x), clamp(up));
                prop_assert_eq!(cvt_rzi::<$t, f64>(x), clamp(zero));
                prop_assert_eq!(cvt_rni::<$t, f64>(x), clamp(nearest));
                if f64::from(x as f32) == x {
                    prop_assert_eq!(cvt_rmi::<$t, f32>(x as f32), clamp(floor));
                    prop_assert_eq!(cvt_rni::<$t, f32>(x as f32), clamp(nearest));
                }
            )+};
        }
        check!(u8, i8, u16, i16, u32, i32, u64, i64);
    }
}
