//! Directed rounding: two implementations compared with each other, with IEEE's nearest rounding,
//! and with error-free transformations.

use crate::semantics::Rounding::{self, Down, Nearest, Up, Zero};
use crate::semantics::exact::{BF16, Exact, F16, F32, F64};
use crate::semantics::float::*;
use proptest::prelude::*;

/// Returns any f64 bits: random, or with exponents near those of other operands, or at the ends
/// of the range.
fn doubles() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<u64>(),
        any::<u64>().prop_map(|x| x & 0x800f_ffff_ffff_ffff | 0x3ff0_0000_0000_0000),
        (any::<u64>(), 0x3c0..0x440u64).prop_map(|(x, e)| x & 0x800f_ffff_ffff_ffff | e << 52),
        any::<u64>().prop_map(|x| x & 0x801f_ffff_ffff_ffff),
        any::<u64>().prop_map(|x| x & 0x800f_ffff_0000_0000 | 0x7fe0_0000_0000_0000),
        prop::sample::select(vec![
            0,
            1 << 63,
            1,
            0x7ff0_0000_0000_0000,
            0xfff0_0000_0000_0000,
            0x7ff8_0000_0000_0001
        ]),
    ]
    .prop_map(f64::from_bits)
}

/// Returns any f32 bits, with the same distribution.
fn singles() -> impl Strategy<Value = f32> {
    prop_oneof![
        any::<u32>(),
        any::<u32>().prop_map(|x| x & 0x807f_ffff | 0x3f80_0000),
        (any::<u32>(), 0x60..0xa0u32).prop_map(|(x, e)| x & 0x807f_ffff | e << 23),
        any::<u32>().prop_map(|x| x & 0x80ff_ffff),
        any::<u32>().prop_map(|x| x & 0x807f_ff00 | 0x7f00_0000),
        prop::sample::select(vec![
            0,
            1 << 31,
            1,
            0x7f80_0000,
            0xff80_0000,
            0x7f80_0001,
            0x3f80_0000,
            0xbf80_0000
        ]),
    ]
    .prop_map(f32::from_bits)
}

/// Returns whether `down`, `up` and `zero` are the neighbours that enclose a value whose
/// nearest is `near`. The sign of `error` is the side of `near` on which the value lies (0: the
/// value is `near`).
fn encloses(near: f64, error: f64, [zero, down, up]: [f64; 3]) -> bool {
    let expected_down = if error < 0.0 { near.next_down() } else { near };
    let expected_up = if error > 0.0 { near.next_up() } else { near };
    let expected_zero = if near.is_sign_negative() {
        expected_up
    } else {
        expected_down
    };
    (down, up, zero) == (expected_down, expected_up, expected_zero)
}

/// Returns whether error-free transformations of `x` stay within the range.
fn comfortable(x: f64) -> bool {
    x.is_finite() && (1e-200..1e200).contains(&x.abs())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    fn exact_values_rounded_to_nearest_are_the_hosts(a in doubles(), b in doubles(), c in doubles()) {
        let [a, b, c] = [a, b, c].map(|x| if x.is_finite() { x } else { 1.5 });
        let [x, y, z] = [a, b, c].map(Exact::from_f64);
        let near = |x: Exact| x.round(F64, Nearest);
        prop_assert_eq!(near(x.plus(y, Nearest)), (a + b).to_bits());
        prop_assert_eq!(near(x.times(y)), (a * b).to_bits());
        prop_assert_eq!(near(x.times(y).plus(z, Nearest)), a.mul_add(b, c).to_bits(), "{} {} {}", a, b, c);
        prop_assert_eq!(x.round(F32, Nearest), u64::from((a as f32).to_bits()));
        if b != 0.0 {
            prop_assert_eq!(near(x.over(y)), (a / b).to_bits());
        }
        if a >= 0.0 {
            prop_assert_eq!(near(x.root()), a.sqrt().to_bits());
        }
    }

    #[test]
    fn exact_values_rounded_to_halves_are_those_of_crate_half(a in singles()) {
        let a = if a.is_finite() { a } else { 1.5 };
        let x = Exact::from_f64(a.into());
        prop_assert_eq!(x.round(F16, Nearest), u64::from(half::f16::from_f32(a).to_bits()));
        prop_assert_eq!(x.round(BF16, Nearest), u64::from(half::bf16::from_f32(a).to_bits()));
    }

    #[test]
    fn directed_f64_encloses_the_exact_value(a in doubles(), b in doubles()) {
        let sum = a + b;
        if comfortable(a) && comfortable(b) && comfortable(sum) {
            let part = sum - a;
            let error = (a - (sum - part)) + (b - part);
            prop_assert!(encloses(sum, error, [add_rz_f64(a, b), add_rm_f64(a, b), add_rp_f64(a, b)]));
            prop_assert!(encloses(sum, error, [sub_rz_f64(a, -b), sub_rm_f64(a, -b), sub_rp_f64(a, -b)]));
        }
        let product = a * b;
        if comfortable(a) && comfortable(b) && comfortable(product) {
            let error = a.mul_add(b, -product);
            prop_assert!(encloses(product, error, [mul_rz_f64(a, b), mul_rm_f64(a, b), mul_rp_f64(a, b)]));
            let fma = [fma_rz_f64(a, b, 0.0), fma_rm_f64(a, b, 0.0), fma_rp_f64(a, b, 0.0)];
            prop_assert!(encloses(product, error, fma));
        }
        let quotient = a / b;
        if comfortable(a) && comfortable(b) && comfortable(quotient) {
            let error = (-quotient).mul_add(b, a) * b.signum();
            prop_assert!(encloses(quotient, error, [div_rz_f64(a, b), div_rm_f64(a, b), div_rp_f64(a, b)]));
        }
        let root = a.abs().sqrt();
        if comfortable(a) {
            let error = (-root).mul_add(root, a.abs());
            let x = a.abs();
            prop_assert!(encloses(root, error, [sqrt_rz_f64(x), sqrt_rm_f64(x), sqrt_rp_f64(x)]));
        }
    }

    #[test]
    fn directed_fma_f64_is_nearest_or_its_neighbour(a in doubles(), b in doubles(), c in doubles()) {
        let near = a.mul_add(b, c);
        let (zero, down, up) = (fma_rz_f64(a, b, c), fma_rm_f64(a, b, c), fma_rp_f64(a, b, c));
        if near.is_nan() {
            prop_assert!(zero.is_nan() && down.is_nan() && up.is_nan());
        } else {
            prop_assert!(down <= near && near <= up && (up == down || up == down.next_up()));
            prop_assert_eq!(zero, if near.is_sign_negative() { up } else { down });
        }
    }

    #[test]
    fn directed_f32_by_odd_rounding_agrees_with_exact_values(a in singles(), b in singles(), c in singles()) {
        let [x, y, z] = [a, b, c].map(|x| Exact::from_f64(x.into()));
        let finite = a.is_finite() && b.is_finite() && c.is_finite();
        type Two = fn(f32, f32) -> f32;
        type Three = fn(f32, f32, f32) -> f32;
        type One = fn(f32) -> f32;
        let rows: [(Rounding, [Two; 4], Three, [One; 2]); 4] = [
            (Zero, [add_rz_f32, sub_rz_f32, mul_rz_f32, div_rz_f32], fma_rz_f32, [rcp_rz_f32, sqrt_rz_f32]),
            (Down, [add_rm_f32, sub_rm_f32, mul_rm_f32, div_rm_f32], fma_rm_f32, [rcp_rm_f32, sqrt_rm_f32]),
            (Up, [add_rp_f32, sub_rp_f32, mul_rp_f32, div_rp_f32], fma_rp_f32, [rcp_rp_f32, sqrt_rp_f32]),
            (Nearest, [add_rn_f32, sub_rn_f32, mul_rn_f32, div_rn_f32], fma_rn_f32, [rcp_rn_f32, sqrt_rn_f32]),
        ];
        for (rounding, [add, sub, mul, div], fma, [rcp, sqrt]) in rows {
            if finite {
                let bits = |x: Exact| x.round(F32, rounding) as u32;
                prop_assert_eq!(add(a, b).to_bits(), bits(x.plus(y, rounding)), "{} + {} {:?}", a, b, rounding);
                prop_assert_eq!(sub(a, b).to_bits(), bits(x.plus(y.negate(), rounding)), "{} - {} {:?}", a, b, rounding);
                prop_assert_eq!(mul(a, b).to_bits(), bits(x.times(y)), "{} * {} {:?}", a, b, rounding);
                prop_assert_eq!(fma(a, b, c).to_bits(), bits(x.times(y).plus(z, rounding)), "{} {} {} {:?}", a, b, c, rounding);
                if b != 0.0 {
                    prop_assert_eq!(div(a, b).to_bits(), bits(x.over(y)), "{} / {} {:?}", a, b, rounding);
                    prop_assert_eq!(rcp(b).to_bits(), bits(Exact::from_int(1).over(y)));
                }
                if a >= 0.0 {
                    prop_assert_eq!(sqrt(a).to_bits(), bits(x.root()), "sqrt {} {:?}", a, rounding);
                }
            } else {
                let same = |x: f32, y: f32| x.to_bits() == y.to_bits();
                prop_assert!(b.is_finite() && a.is_finite() || same(add(a, b), add_rn_f32(a, b)));
                prop_assert!(b.is_finite() && a.is_finite() || same(mul(a, b), mul_rn_f32(a, b)));
                prop_assert!(b.is_finite() && a.is_finite() || same(div(a, b), div_rn_f32(a, b)));
                prop_assert!(a.is_finite() || same(sqrt(a), sqrt_rn_f32(a)));
                prop_assert!(same(fma(a, b, c), fma_rn_f32(a, b, c)) || a.is_finite() && b.is_finite() && c.is_finite());
            }
        }
    }
}

#[test]
fn exact_zeros_are_negative_only_rounded_down() {
    assert_eq!(
        [
            add_rm_f32(1.0, -1.0),
            sub_rm_f32(1.0, 1.0),
            fma_rm_f32(1.0, 1.0, -1.0)
        ]
        .map(f32::to_bits),
        [1 << 31; 3]
    );
    assert_eq!(
        [
            add_rz_f32(1.0, -1.0),
            add_rp_f32(-1.0, 1.0),
            add_rm_f32(0.0, 0.0)
        ]
        .map(f32::to_bits),
        [0; 3]
    );
    assert_eq!(
        [
            add_rm_f64(1.0, -1.0),
            sub_rm_f64(0.0, 0.0),
            fma_rm_f64(1.0, 1.0, -1.0)
        ]
        .map(f64::to_bits),
        [1 << 63; 3]
    );
    assert_eq!(
        [
            add_rz_f64(1.0, -1.0),
            add_rp_f64(-1.0, 1.0),
            add_rm_f64(0.0, 0.0)
        ]
        .map(f64::to_bits),
        [0; 3]
    );
}

#[test]
fn overflow_stops_at_the_largest_number_towards_zero() {
    assert_eq!(
        (add_rz_f32(f32::MAX, f32::MAX), mul_rm_f32(f32::MAX, 2.0)),
        (f32::MAX, f32::MAX)
    );
    assert_eq!(
        (add_rp_f32(f32::MAX, f32::MAX), mul_rp_f32(f32::MAX, -2.0)),
        (f32::INFINITY, f32::MIN)
    );
    assert_eq!(
        (add_rz_f64(f64::MAX, f64::MAX), mul_rm_f64(f64::MAX, 2.0)),
        (f64::MAX, f64::MAX)
    );
    assert_eq!(
        (add_rp_f64(f64::MAX, f64::MAX), mul_rp_f64(f64::MAX, -2.0)),
        (f64::INFINITY, f64::MIN)
    );
    assert_eq!(
        (div_rz_f32(1.0, 0.0), rcp_rm_f64(-0.0)),
        (f32::INFINITY, f64::NEG_INFINITY)
    );
    assert_eq!(fma_rz_sat_f32(2.0, 2.0, 2.0), 1.0);
    assert_eq!(mul_rp_ftz_f32(f32::MIN_POSITIVE, 0.5).to_bits(), 0);
}
