//! Comparisons and selections: every operator over every kind of operand.

use crate::semantics::compare::*;
use crate::semantics::float::ftz_f32;
use proptest::prelude::*;
use std::cmp::Ordering;

/// One of each kind of f32, both signs: NaN, infinity, normal, subnormal, zero.
const KINDS: [f32; 11] = [
    f32::NAN,
    f32::from_bits(0xff81_2345),
    f32::INFINITY,
    f32::NEG_INFINITY,
    1.0,
    -1.0,
    f32::MAX,
    f32::from_bits(1),
    f32::from_bits(0x8000_0001),
    0.0,
    -0.0,
];

/// An f32 comparison with its `.ftz` form, its f64 form, and the orderings (`None`: unordered) for
/// which it is true.
type Row = (
    fn(f32, f32) -> bool,
    fn(f32, f32) -> bool,
    fn(f64, f64) -> bool,
    &'static [Option<Ordering>],
);

#[test]
fn float_comparisons_are_true_for_the_orderings_they_name() {
    const LT: Option<Ordering> = Some(Ordering::Less);
    const EQ: Option<Ordering> = Some(Ordering::Equal);
    const GT: Option<Ordering> = Some(Ordering::Greater);
    const UN: Option<Ordering> = None;
    let rows: [Row; 14] = [
        (setp_eq_f32, setp_eq_ftz_f32, setp_eq_f64, &[EQ]),
        (setp_ne_f32, setp_ne_ftz_f32, setp_ne_f64, &[LT, GT]),
        (setp_lt_f32, setp_lt_ftz_f32, setp_lt_f64, &[LT]),
        (setp_le_f32, setp_le_ftz_f32, setp_le_f64, &[LT, EQ]),
        (setp_gt_f32, setp_gt_ftz_f32, setp_gt_f64, &[GT]),
        (setp_ge_f32, setp_ge_ftz_f32, setp_ge_f64, &[GT, EQ]),
        (setp_equ_f32, setp_equ_ftz_f32, setp_equ_f64, &[EQ, UN]),
        (setp_neu_f32, setp_neu_ftz_f32, setp_neu_f64, &[LT, GT, UN]),
        (setp_ltu_f32, setp_ltu_ftz_f32, setp_ltu_f64, &[LT, UN]),
        (setp_leu_f32, setp_leu_ftz_f32, setp_leu_f64, &[LT, EQ, UN]),
        (setp_gtu_f32, setp_gtu_ftz_f32, setp_gtu_f64, &[GT, UN]),
        (setp_geu_f32, setp_geu_ftz_f32, setp_geu_f64, &[GT, EQ, UN]),
        (setp_num_f32, setp_num_ftz_f32, setp_num_f64, &[LT, EQ, GT]),
        (setp_nan_f32, setp_nan_ftz_f32, setp_nan_f64, &[UN]),
    ];
    for (number, (plain, ftz, double, truths)) in rows.into_iter().enumerate() {
        for a in KINDS {
            for b in KINDS {
                assert_eq!(
                    plain(a, b),
                    truths.contains(&a.partial_cmp(&b)),
                    "row {number}: {a} {b}"
                );
                let flushed = ftz_f32(a).partial_cmp(&ftz_f32(b));
                assert_eq!(
                    ftz(a, b),
                    truths.contains(&flushed),
                    "row {number} with .ftz: {a} {b}"
                );
                let (a, b) = (f64::from(a), f64::from(b));
                assert_eq!(
                    double(a, b),
                    truths.contains(&a.partial_cmp(&b)),
                    "row {number} at f64: {a} {b}"
                );
            }
        }
    }
}

#[test]
fn testp_sorts_every_kind_into_its_class() {
    for x in KINDS {
        assert_eq!(testp_notanumber_f32(x), x.is_nan());
        assert_eq!(testp_number_f32(x), !x.is_nan());
        assert_eq!(testp_infinite_f32(x), x.abs() == f32::INFINITY);
        assert_eq!(testp_finite_f32(x), x.abs() < f32::INFINITY);
        let subnormal = x != 0.0 && x.abs() < f32::MIN_POSITIVE;
        assert_eq!(testp_subnormal_f32(x), subnormal);
        assert_eq!(
            testp_normal_f32(x),
            x.abs() < f32::INFINITY && !subnormal,
            "{x}: zero is normal here"
        );
        let wide = f64::from(x);
        assert_eq!(
            testp_normal_f64(wide),
            x.abs() < f32::INFINITY,
            "{x}: all f32 numbers are normal f64s, or zero"
        );
        assert!(!testp_subnormal_f64(wide) && testp_number_f64(wide) != testp_notanumber_f64(wide));
        assert!(
            testp_finite_f64(wide) == testp_finite_f32(x)
                && testp_infinite_f64(wide) == testp_infinite_f32(x)
        );
    }
    assert!(testp_subnormal_f64(f64::from_bits(1)));
}

#[test]
fn selections_take_a_for_not_negative() {
    assert_eq!(
        (
            slct_b32_s32(1, 2, 0),
            slct_b32_s32(1, 2, -1),
            slct_b64_s32(1, 2, i32::MIN)
        ),
        (1, 2, 2)
    );
    assert_eq!(
        (
            slct_b32_f32(1, 2, 0.0),
            slct_b32_f32(1, 2, -0.0),
            slct_b32_f32(1, 2, f32::NAN)
        ),
        (1, 1, 2)
    );
    let below = f32::from_bits(0x8000_0001);
    assert_eq!(
        (slct_b32_f32(1, 2, below), slct_ftz_b32_f32(1, 2, below)),
        (2, 1)
    );
}

proptest! {
    #[test]
    fn integer_comparisons_agree_with_i128(a in any::<u64>(), b in any::<u64>(), same in any::<bool>()) {
        let b = if same { a } else { b };
        macro_rules! check {
            ($t:ty, $eq:ident, $ne:ident, $lt:ident, $le:ident, $gt:ident, $ge:ident) => {{
                let (x, y) = (a as $t, b as $t);
                let (wx, wy) = (i128::from(x), i128::from(y));
                prop_assert_eq!([$eq(x, y), $ne(x, y), $lt(x, y)], [wx == wy, wx != wy, wx < wy]);
                prop_assert_eq!([$le(x, y), $gt(x, y), $ge(x, y)], [wx <= wy, wx > wy, wx >= wy]);
            }};
        }
        check!(u16, setp_eq_u16, setp_ne_u16, setp_lt_u16, setp_le_u16, setp_gt_u16, setp_ge_u16);
        check!(i16, setp_eq_s16, setp_ne_s16, setp_lt_s16, setp_le_s16, setp_gt_s16, setp_ge_s16);
        check!(u32, setp_eq_u32, setp_ne_u32, setp_lt_u32, setp_le_u32, setp_gt_u32, setp_ge_u32);
        check!(i32, setp_eq_s32, setp_ne_s32, setp_lt_s32, setp_le_s32, setp_gt_s32, setp_ge_s32);
        check!(u64, setp_eq_u64, setp_ne_u64, setp_lt_u64, setp_le_u64, setp_gt_u64, setp_ge_u64);
        check!(i64, setp_eq_s64, setp_ne_s64, setp_lt_s64, setp_le_s64, setp_gt_s64, setp_ge_s64);
    }
}
