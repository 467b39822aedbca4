//! Approximations: special values of an H200. Other results are the nearest values, which are
//! within the ISA's bounds.

use crate::semantics::Rounding::Nearest;
use crate::semantics::approx::*;
use crate::semantics::exact::{BF16, Exact, F16, Format};
use half::{bf16, f16};
use proptest::prelude::*;

/// `f32::from_bits`, for tables.
fn f(bits: u32) -> f32 {
    f32::from_bits(bits)
}

#[test]
fn corners_are_as_measured() {
    assert_eq!(rcp_approx_f32(f(0x7f00_0001)).to_bits(), 0x0040_0000);
    assert_eq!(rcp_approx_ftz_f32(f(1)), f32::INFINITY);
    assert_eq!(rcp_approx_ftz_f32(f(0x8000_0001)), f32::NEG_INFINITY);
    assert_eq!(div_full_f32(1.0, f(0x7f00_0001)).to_bits(), 0x0040_0000);
    assert_eq!(div_approx_f32(1.0, f(0x7f00_0001)).to_bits(), 0);
    assert_eq!(ex2_approx_f32(-149.0).to_bits(), 1);
    assert_eq!(ex2_approx_ftz_f32(-126.5).to_bits(), 0);
    assert_eq!(lg2_approx_f32(f(1)), -149.0);
    assert_eq!(lg2_approx_f32(-0.0), f32::NEG_INFINITY);
    assert_eq!(rsqrt_approx_f32(-0.0), f32::NEG_INFINITY);
    assert_eq!(sin_approx_f32(f32::INFINITY).to_bits(), 0x7fff_ffff);
}

#[test]
fn corners_of_the_isa_tables() {
    // The operands are hidden from the compiler, which would otherwise compute the results itself.
    let [inf, minus, zero, one] = std::hint::black_box([f32::INFINITY, -1.0, 0.0, 1.0]);
    let canonical = |x: f32| assert_eq!(x.to_bits(), 0x7fff_ffff);
    assert_eq!(
        (
            ex2_approx_f32(inf),
            ex2_approx_f32(-inf),
            ex2_approx_f32(-zero)
        ),
        (inf, 0.0, 1.0)
    );
    assert_eq!(
        (
            ex2_approx_f32(128.0),
            ex2_approx_f32(1e30),
            ex2_approx_f32(-1e30).to_bits()
        ),
        (inf, inf, 0)
    );
    assert_eq!(
        (
            lg2_approx_f32(inf),
            lg2_approx_f32(zero),
            lg2_approx_f32(one).to_bits()
        ),
        (inf, -inf, 0)
    );
    assert_eq!(lg2_approx_ftz_f32(f(1)), -inf);
    assert_eq!(
        (
            rsqrt_approx_f32(zero),
            rsqrt_approx_f32(inf),
            rsqrt_approx_f32(4.0)
        ),
        (inf, 0.0, 0.5)
    );
    assert_eq!(
        (
            sqrt_approx_f32(-zero).to_bits(),
            sqrt_approx_ftz_f32(f(1)).to_bits()
        ),
        (1 << 31, 0)
    );
    assert_eq!(
        (sin_approx_f32(-zero).to_bits(), cos_approx_f32(zero)),
        (1 << 31, 1.0)
    );
    assert_eq!(
        (
            tanh_approx_f32(inf),
            tanh_approx_f32(-inf),
            tanh_approx_f32(-zero).to_bits()
        ),
        (1.0, -1.0, 1 << 31)
    );
    assert_eq!(
        (
            div_approx_f32(minus, f32::MAX).to_bits(),
            div_approx_f32(1.0, 2f32.powi(126))
        ),
        (1 << 31, 2f32.powi(-126))
    );
    assert_eq!(
        (
            div_approx_f32(one, zero),
            div_approx_f32(one, inf),
            div_approx_f32(inf, one)
        ),
        (inf, 0.0, inf)
    );
    for nan in [
        ex2_approx_f32(f32::NAN),
        lg2_approx_f32(f32::NAN),
        lg2_approx_f32(minus),
        rsqrt_approx_f32(minus),
        rsqrt_approx_f32(-inf),
        sqrt_approx_f32(-inf),
        cos_approx_f32(inf),
        tanh_approx_f32(f(0xff81_2345)),
        div_approx_f32(inf, f32::MAX),
        div_approx_f32(f32::NAN, f32::MAX),
        div_full_f32(zero, zero),
        rcp_approx_f32(f32::NAN),
    ] {
        canonical(nan);
    }
}

#[test]
fn gross_f64_forms_have_20_bits_and_no_subnormals() {
    let inf = f64::INFINITY;
    // 1/7 is 0x3fc24924_92492492, whose lower word is more than a half, and 1/3 is
    // 0x3fd55555_55555555.
    assert_eq!(
        [7.0, 3.0].map(|x| rcp_approx_ftz_f64(x).to_bits()),
        [0x3fc2_4925_0000_0000, 0x3fd5_5555_0000_0000]
    );
    assert_eq!(
        (
            rcp_approx_ftz_f64(0.0),
            rcp_approx_ftz_f64(-f64::from_bits(1)),
            rcp_approx_ftz_f64(-0.0)
        ),
        (inf, -inf, -inf)
    );
    assert_eq!(
        (
            rcp_approx_ftz_f64(-inf).to_bits(),
            rcp_approx_ftz_f64(f64::MAX).to_bits()
        ),
        (1 << 63, 0)
    );
    assert_eq!(
        (
            rcp_approx_ftz_f64(4.0),
            rsqrt_approx_ftz_f64(4.0),
            rsqrt_approx_f64(0.25)
        ),
        (0.25, 0.5, 2.0)
    );
    assert_eq!(
        rcp_approx_ftz_f64(f64::from_bits(0x7ff4_0000_1234_5678)).to_bits(),
        0x7ffc_0000_0000_0000
    );
    assert_eq!(
        (rsqrt_approx_ftz_f64(0.0), rsqrt_approx_ftz_f64(inf)),
        (inf, 0.0)
    );
    assert!(rsqrt_approx_ftz_f64(-1.0).is_nan() && rsqrt_approx_f64(-1.0).is_nan());
}

/// Returns whether `x` is one of the two f32 around `exact`. It must be the nearer one, unless both
/// are almost equally near.
fn nearest(x: f32, exact: f64) -> bool {
    if exact.is_infinite() {
        return f64::from(x) == exact;
    }
    let sure = 1e-12 * exact.abs();
    let (low, high) = ((exact - sure) as f32, (exact + sure) as f32);
    low <= x && x <= high
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn f32_results_are_the_nearest(bits in any::<u32>(), small in -150f32..150.0) {
        let any = f(bits);
        for x in [any, small] {
            let wide = f64::from(x);
            if x.is_finite() {
                prop_assert!(nearest(ex2_approx_f32(x), wide.exp2()), "ex2 {}", x);
                // Above 2^50, an angle counts as whole turns.
                let angle = if wide.abs() < 2f64.powi(50) { wide } else { 0.0 };
                prop_assert!(nearest(sin_approx_f32(x), libm::sin(angle)), "sin {}", x);
                prop_assert!(nearest(cos_approx_f32(x), libm::cos(angle)), "cos {}", x);
                prop_assert!(nearest(tanh_approx_f32(x), wide.tanh()), "tanh {}", x);
                prop_assert!(x == 0.0 || nearest(lg2_approx_f32(x.abs()), wide.abs().log2()), "lg2 {}", x);
                prop_assert!(x == 0.0 || nearest(rsqrt_approx_f32(x.abs()), wide.abs().sqrt().recip()), "rsqrt {}", x);
            }
        }
        // Near one, the logarithm is small, and so is its relative error.
        let near = f(0x3f80_0000 + (bits & 0xffff)) ;
        prop_assert!(near == 1.0 || nearest(lg2_approx_f32(near), f64::from(near).log2()), "lg2 {}", near);
    }

    #[test]
    fn gross_f64_results_are_within_20_bits(bits in any::<u64>()) {
        let x = f64::from_bits(bits);
        for (got, exact) in [(rcp_approx_ftz_f64(x), 1.0 / x), (rsqrt_approx_ftz_f64(x.abs()), 1.0 / x.abs().sqrt())] {
            prop_assert_eq!(got.to_bits() & 0xffff_ffff, 0);
            if exact.is_normal() && x.is_normal() {
                // Half a digit of 20 bits from the rounding, one from the operand's unread half.
                prop_assert!(((got - exact) / exact).abs() < 1.5 / 1048576.0, "{} {}", got, exact);
            }
        }
    }
}

#[test]
fn every_half_result_is_the_nearest_but_subnormal_powers() {
    // This is not `from_f64` of crate half, which drops the low word and rounds values just past a
    // tie to the wrong side.
    let round = |x: f64, format: Format| match x {
        _ if x.is_nan() => 0x7fff,
        _ if x.is_infinite() => format.largest as u16 + 1,
        _ => Exact::from_f64(x).round(format, Nearest) as u16,
    };
    for bits in 0..=u16::MAX {
        let x = f16::from_bits(bits);
        let (power, tangent) = (x.to_f64().exp2(), x.to_f64().tanh());
        // Those are truncated, as on an H200.
        let expected = match power {
            0.0..6.103_515_625e-5 => (power * 2f64.powi(24)) as u16,
            _ => round(power, F16),
        };
        assert_eq!(ex2_approx_f16(x).to_bits(), expected, "ex2 {x}");
        assert_eq!(
            tanh_approx_f16(x).to_bits(),
            round(tangent, F16),
            "tanh {x}"
        );
        let x = bf16::from_bits(bits);
        let (power, tangent) = (x.to_f64().exp2(), x.to_f64().tanh());
        let power = if power < 2f64.powi(-126) { 0.0 } else { power };
        assert_eq!(
            ex2_approx_ftz_bf16(x).to_bits(),
            round(power, BF16),
            "ex2 {x}"
        );
        assert_eq!(
            tanh_approx_bf16(x).to_bits(),
            round(tangent, BF16),
            "tanh {x}"
        );
    }
    assert_eq!(ex2_approx_f16x2(0x3c00_c000), 0x4000_3400);
    assert_eq!(
        (
            tanh_approx_f16x2(0x7c00_fc00),
            tanh_approx_bf16x2(0x7f80_ff80)
        ),
        (0x3c00_bc00, 0x3f80_bf80)
    );
    assert_eq!(ex2_approx_ftz_bf16x2(0x3f80_0000), 0x4000_3f80);
}
