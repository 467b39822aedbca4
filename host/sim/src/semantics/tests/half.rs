//! f16 and bf16: every value of one operand, and exact arithmetic for two and three.

use crate::semantics::Rounding::Nearest;
use crate::semantics::exact::{BF16, Exact, F16, Format};
use crate::semantics::half::bits::ftz_f16;
use crate::semantics::half::*;
use half::{bf16, f16};
use proptest::prelude::*;

/// Returns the bits, or 0x7fff for any NaN.
fn canonical(bits: u16, nan: bool) -> u16 {
    if nan { 0x7fff } else { bits }
}

#[test]
fn every_f16_widens_and_narrows_as_in_crate_half() {
    for bits in 0..=u16::MAX {
        let x = f16::from_bits(bits);
        let wide = cvt_f32_f16(x);
        assert!(
            wide.to_bits() == x.to_f32().to_bits() || wide.to_bits() == 0x7fff_ffff && x.is_nan(),
            "{bits:#x}"
        );
        assert_eq!(cvt_rn_f16_f32(wide).to_bits(), canonical(bits, x.is_nan()));
        let x = bf16::from_bits(bits);
        let wide = cvt_f32_bf16(x);
        assert!(
            wide.to_bits() == x.to_f32().to_bits() || wide.to_bits() == 0x7fff_ffff && x.is_nan(),
            "{bits:#x}"
        );
        assert_eq!(cvt_rn_bf16_f32(wide).to_bits(), canonical(bits, x.is_nan()));
    }
}

#[test]
fn narrowing_overflow_is_as_measured() {
    assert_eq!(cvt_rn_f16_f32(70000.0).to_bits(), 0x7c00);
    assert_eq!(cvt_rn_f16_f32(65519.996).to_bits(), 0x7bff);
    assert_eq!(cvt_rn_f16_f32(65520.0).to_bits(), 0x7c00);
    assert_eq!(cvt_rn_bf16_f32(f32::MAX).to_bits(), 0x7f80);
}

#[test]
fn every_f16_has_its_sign_operations() {
    for bits in 0..=u16::MAX {
        let (x, b) = (f16::from_bits(bits), bf16::from_bits(bits));
        assert_eq!(neg_f16(x).to_bits(), canonical(bits ^ 0x8000, x.is_nan()));
        assert_eq!(abs_f16(x).to_bits(), canonical(bits & 0x7fff, x.is_nan()));
        assert_eq!(neg_bf16(b).to_bits(), canonical(bits ^ 0x8000, b.is_nan()));
        assert_eq!(abs_bf16(b).to_bits(), canonical(bits & 0x7fff, b.is_nan()));
        let subnormal = bits & 0x7c00 == 0;
        assert_eq!(
            ftz_f16(x).to_bits(),
            if subnormal { bits & 0x8000 } else { bits }
        );
        let value = x.to_f32();
        let clamped = if value > 0.0 { value.min(1.0) } else { 0.0 };
        assert_eq!(sat_f16(x).to_f32().to_bits(), clamped.to_bits());
        assert_eq!(
            neg_ftz_f16(x).to_bits(),
            canonical(ftz_f16(x).to_bits() ^ 0x8000, x.is_nan())
        );
        let relu = fma_rn_relu_f16(x, f16::ONE, f16::NEG_ZERO).to_bits();
        assert_eq!(
            relu,
            if x.is_nan() {
                0x7fff
            } else if bits & 0x8000 != 0 {
                0
            } else {
                bits
            }
        );
    }
}

#[test]
fn extremes_lose_or_keep_nan_and_order_zeros() {
    let (nan, two, minus) = (
        f16::from_bits(0xfe01),
        f16::from_f32(2.0),
        f16::from_f32(-3.0),
    );
    assert_eq!((min_f16(nan, two), max_f16(two, nan)), (two, two));
    assert_eq!(
        (
            min_nan_f16(nan, two).to_bits(),
            max_nan_f16(two, nan).to_bits()
        ),
        (0x7fff, 0x7fff)
    );
    assert_eq!(min_f16(f16::ZERO, f16::NEG_ZERO).to_bits(), 0x8000);
    assert_eq!(max_f16(f16::NEG_ZERO, f16::ZERO).to_bits(), 0);
    assert_eq!(
        (
            max_xorsign_abs_f16(minus, two).to_f32(),
            min_xorsign_abs_f16(minus, two).to_f32()
        ),
        (-3.0, -2.0)
    );
    assert_eq!(
        min_ftz_f16(f16::from_bits(0x8001), f16::ZERO).to_bits(),
        0x8000
    );
    let (nan, two, minus) = (bf16::NAN, bf16::from_f32(2.0), bf16::from_f32(-3.0));
    assert_eq!(
        (
            min_bf16(nan, two),
            max_bf16(minus, two),
            max_nan_bf16(nan, two).to_bits()
        ),
        (two, two, 0x7fff)
    );
}

#[test]
fn comparisons_read_values_and_ftz_reads_zeros() {
    let (tiny, nan) = (f16::from_bits(1), f16::NAN);
    assert!(
        setp_gt_f16(tiny, f16::ZERO)
            && !setp_gt_ftz_f16(tiny, f16::ZERO)
            && setp_eq_ftz_f16(tiny, f16::NEG_ZERO)
    );
    assert!(
        !setp_eq_f16(nan, nan)
            && setp_equ_f16(nan, nan)
            && setp_nan_f16(nan, tiny)
            && setp_num_f16(tiny, tiny)
    );
    assert!(setp_lt_bf16(bf16::from_f32(-1.0), bf16::ONE) && setp_neu_bf16(bf16::NAN, bf16::ONE));
}

/// Returns bits of a half: random, or with medium exponents, so that operands are of similar size.
fn halves() -> impl Strategy<Value = u16> {
    prop_oneof![
        any::<u16>(),
        any::<u16>().prop_map(|x| x & 0x87ff | 0x3800),
        any::<u16>().prop_map(|x| x & 0x83ff)
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn arithmetic_is_exact_and_rounded_once(a in halves(), b in halves(), c in halves()) {
        let check = |format: Format, wide: [f64; 3], add: u16, sub: u16, mul: u16, fma: u16| {
            if wide.iter().all(|x| x.is_finite()) {
                let [x, y, z] = wide.map(Exact::from_f64);
                let bits = |x: Exact| x.round(format, Nearest) as u16;
                let expected = [x.plus(y, Nearest), x.plus(y.negate(), Nearest), x.times(y), x.times(y).plus(z, Nearest)];
                assert_eq!([add, sub, mul, fma], expected.map(bits), "{wide:?}");
            } else {
                // Infinities and NaNs are not rounded.
                let [x, y, z] = wide;
                let infinity = format.largest as u16 + 1;
                let bits = |x: f64| if x.is_nan() { 0x7fff } else { infinity | if x < 0.0 { 0x8000 } else { 0 } };
                if !x.is_finite() || !y.is_finite() {
                    assert_eq!(add, bits(x + y));
                    assert_eq!(sub, bits(x - y));
                    if !(x * y).is_finite() {
                        assert_eq!(mul, bits(x * y));
                    }
                }
                if !(x * y + z).is_finite() {
                    assert_eq!(fma, bits(x * y + z));
                }
            }
        };
        let [x, y, z] = [a, b, c].map(f16::from_bits);
        let pairs = |op: fn(u32, u32) -> u32, x: u16, y: u16| (op(u32::from(x) << 16, u32::from(y) << 16) >> 16) as u16;
        check(
            F16,
            [x, y, z].map(f16::to_f64),
            add_rn_f16(x, y).to_bits(),
            pairs(sub_rn_f16x2, a, b),
            mul_rn_f16(x, y).to_bits(),
            fma_rn_f16(x, y, z).to_bits(),
        );
        let [x, y, z] = [a, b, c].map(bf16::from_bits);
        check(
            BF16,
            [x, y, z].map(bf16::to_f64),
            add_rn_bf16(x, y).to_bits(),
            pairs(sub_rn_bf16x2, a, b),
            mul_rn_bf16(x, y).to_bits(),
            fma_rn_bf16(x, y, z).to_bits(),
        );
    }

    #[test]
    fn pairs_are_two_halves(a in any::<u32>(), b in any::<u32>(), c in any::<u32>()) {
        let ([a0, a1], [b0, b1], [c0, c1]) = (unpack::<f16>(a), unpack::<f16>(b), unpack::<f16>(c));
        prop_assert_eq!(pack([a0, a1]), a);
        prop_assert_eq!(fma_rn_f16x2(a, b, c), pack([fma_rn_f16(a0, b0, c0), fma_rn_f16(a1, b1, c1)]));
        prop_assert_eq!(mul_rn_f16x2(a, b), pack([mul_rn_f16(a0, b0), mul_rn_f16(a1, b1)]));
        prop_assert_eq!(fma_rn_ftz_relu_f16(a0, b0, c0).to_bits(), {
            let plain = fma_rn_ftz_f16(a0, b0, c0);
            if plain.is_sign_negative() { 0 } else { plain.to_bits() }
        });
    }
}

#[test]
fn one_nan_of_either_sign_marks_what_is_out_of_bounds() {
    let (one, two) = (f16::ONE, bf16::from_f32(2.0));
    for bits in 0..=u16::MAX {
        let marked = bits == 0x7ff7 || bits == 0xfff7;
        let (x, y) = (f16::from_bits(bits), bf16::from_bits(bits));
        for (result, plain) in [
            (fma_rn_oob_f16(x, one, one), fma_rn_f16(x, one, one)),
            (fma_rn_oob_f16(one, x, one), fma_rn_f16(one, x, one)),
            (
                fma_rn_oob_relu_f16(x, one, -one),
                fma_rn_relu_f16(x, one, -one),
            ),
        ] {
            assert_eq!(
                result.to_bits(),
                if marked { 0 } else { plain.to_bits() },
                "{bits:#x}"
            );
        }
        for (result, plain) in [
            (fma_rn_oob_bf16(y, two, two), fma_rn_bf16(y, two, two)),
            (
                fma_rn_oob_relu_bf16(two, y, two),
                fma_rn_relu_bf16(two, y, two),
            ),
        ] {
            assert_eq!(
                result.to_bits(),
                if marked { 0 } else { plain.to_bits() },
                "{bits:#x}"
            );
        }
        // As the addend, it is an ordinary NaN.
        assert_eq!(
            fma_rn_oob_f16(one, one, x).to_bits(),
            fma_rn_f16(one, one, x).to_bits()
        );
    }
}
