//! `lanewise_std::fast`: each function over its range, within the bound that NVIDIA documents for
//! the intrinsic of the same name.
//!
//! CUDA programming guide, "Mathematical Functions: Intrinsic Functions" (`__sinf`, `__expf`,
//! `__logf`, ...); PTX ISA, `ex2.approx`, `sqrt.approx`, `rsqrt.approx`. If the guide only gives a
//! function's formula (`__tanf`, `__powf`), the bound is the sum of its parts' bounds.

use std::f64::consts::{LN_2, PI};

use arithmetic::{DEFAULT, FAST_MATH, inputs, run, ulp};
use arithmetic_kernels::{APPROXIMATE, PLAIN, approximate, plain};
use lanewise_std::half::{Bf16, F16};

/// Values by name on one column.
fn approximations(name: &str, xs: &[f64]) -> Vec<(f64, f64)> {
    pairs(name, &xs.iter().map(|x| (*x, 0.0)).collect::<Vec<_>>())
        .into_iter()
        .map(|(x, _, found)| (x, found))
        .collect()
}

/// Values by name on two columns. The operands are already rounded to `f32`.
fn pairs(name: &str, operands: &[(f64, f64)]) -> Vec<(f64, f64, f64)> {
    let rows: Vec<_> = operands
        .iter()
        .map(|(a, b)| [*a as f32, *b as f32, 0.0])
        .collect();
    let found = run(DEFAULT, approximate, APPROXIMATE, name, &rows);
    let values = rows.iter().zip(found);
    values
        .map(|([a, b, _], found)| (f64::from(*a), f64::from(*b), f64::from(found)))
        .collect()
}

/// Asserts that an error is within its bound, and returns it as a fraction of the bound.
#[track_caller]
fn within(what: &str, found: f64, truth: f64, error: f64, bound: f64) -> f64 {
    assert!(
        error <= bound,
        "{what} is {truth:e}, and was {found:e}: off by {error:.3e}, and may be by {bound:.3e}"
    );
    error / bound
}

/// Asserts that errors in units in the last place are within the bound for each operand.
fn in_units(name: &str, xs: &[f64], truth: impl Fn(f64) -> f64, bound: impl Fn(f64) -> f64) {
    let mut most = 0f64;
    for (x, found) in approximations(name, xs) {
        let truth = truth(x);
        let error = ulp::error(found, truth, ulp::unit_f32(truth), f32::MAX.into());
        most = most.max(within(
            &format!("{name}({x:e})"),
            found,
            truth,
            error,
            bound(x),
        ));
    }
    println!("{name}: at most {most:.2} of its bound");
}

/// Asserts that errors are within a bound that does not depend on the value.
fn absolutely(name: &str, xs: &[f64], truth: impl Fn(f64) -> f64, bound: f64) {
    let mut most = 0f64;
    for (x, found) in approximations(name, xs) {
        let truth = truth(x);
        let error = (found - truth).abs();
        most = most.max(within(
            &format!("{name}({x:e})"),
            found,
            truth,
            error,
            bound,
        ));
    }
    println!("{name}: at most {most:.2} of its bound");
}

const COUNT: usize = 20_000;

#[test]
fn sin_and_cos_are_near_within_half_a_turn() {
    let xs = inputs::spread(-PI, PI, COUNT);
    absolutely("sin", &xs, f64::sin, (-21.41f64).exp2());
    absolutely("cos", &xs, f64::cos, (-21.19f64).exp2());
}

#[test]
fn tan_is_the_quotient_of_both() {
    let xs = inputs::spread(-1.5, 1.5, COUNT);
    let mut most = 0f64;
    for (x, found) in approximations("tan", &xs) {
        let truth = x.tan();
        let (sin, cos) = ((-21.41f64).exp2(), (-21.19f64).exp2());
        let bound = (sin + truth.abs() * cos) / (x.cos() - cos) + 2.0 * ulp::unit_f32(truth);
        let error = (found - truth).abs();
        most = most.max(within(&format!("tan({x:e})"), found, truth, error, bound));
    }
    println!("tan: at most {most:.2} of its bound");
}

#[test]
fn tanh_has_eleven_bits() {
    let mut most = 0f64;
    for (x, found) in approximations("tanh", &inputs::spread(-10.0, 10.0, COUNT)) {
        let truth = x.tanh();
        let (error, bound) = ((found - truth).abs(), (-10.9f64).exp2() * truth.abs());
        most = most.max(within(&format!("tanh({x:e})"), found, truth, error, bound));
    }
    println!("tanh: at most {most:.2} of its bound");
}

#[test]
fn sin_cos_is_both() {
    let xs = inputs::spread(-PI, PI, COUNT);
    let rows: Vec<_> = xs.iter().map(|x| (*x, *x)).collect();
    for (x, _, found) in pairs("sin_and_cos", &rows) {
        let truth = x.sin() + x.cos();
        within(
            &format!("sin and cos of {x:e}"),
            found,
            truth,
            (found - truth).abs(),
            (-20f64).exp2(),
        );
    }
}

/// The result has one unit of its own format for an error. The argument is rounded to the format.
#[test]
fn floats_of_16_bits_have_the_hardwares_functions() {
    type Case = (&'static str, i32, fn(f64) -> f64, fn(f32) -> f32);
    let to_f16: fn(f32) -> f32 = |x| F16::from_f32(x).to_f32();
    let to_bf16: fn(f32) -> f32 = |x| Bf16::from_f32(x).to_f32();
    let cases: [Case; 8] = [
        ("exp2_f16", 11, f64::exp2, to_f16),
        ("tanh_f16", 11, f64::tanh, to_f16),
        ("exp2_bf16", 8, f64::exp2, to_bf16),
        ("tanh_bf16", 8, f64::tanh, to_bf16),
        ("exp2_f16x2", 11, f64::exp2, to_f16),
        ("tanh_f16x2", 11, f64::tanh, to_f16),
        ("exp2_bf16x2", 8, f64::exp2, to_bf16),
        ("tanh_bf16x2", 8, f64::tanh, to_bf16),
    ];
    for (name, digits, truth, rounded) in cases {
        let mut most = 0f64;
        for (x, found) in approximations(name, &inputs::spread(-8.0, 8.0, 2_000)) {
            let truth = truth(rounded(x as f32).into());
            // Two units, because a result may be above a power of two and its value below.
            let bound = f64::from(2 - digits).exp2() * truth.abs();
            let error = (found - truth).abs();
            most = most.max(within(
                &format!("{name}({x:e})"),
                found,
                truth,
                error,
                bound,
            ));
        }
        println!("{name}: at most {most:.2} of its bound");
    }
}

#[test]
fn exponentials_are_within_units_that_grow_with_the_operand() {
    in_units(
        "exp2",
        &inputs::spread(-126.0, 127.9, COUNT),
        f64::exp2,
        |_| 2.0,
    );
    let exp = inputs::spread(-87.0, 88.7, COUNT);
    in_units("exp", &exp, f64::exp, |x| 2.0 + (1.173 * x).abs().floor());
    let exp10 = inputs::spread(-37.9, 38.5, COUNT);
    in_units(
        "exp10",
        &exp10,
        |x| 10f64.powf(x),
        |x| 2.0 + (2.97 * x).abs().floor(),
    );
}

#[test]
fn logarithms_are_near_around_one_and_within_units_elsewhere() {
    let near = inputs::spread(0.5, 2.0, COUNT);
    absolutely("log", &near, f64::ln, (-21.41f64).exp2());
    absolutely("log2", &near, f64::log2, (-22f64).exp2());
    absolutely("log10", &near, f64::log10, (-23.4f64).exp2());
    let small = inputs::spread_exponents(f32::MIN_POSITIVE.into(), 0.4999, COUNT / 2);
    let large = inputs::spread_exponents(2.0001, f32::MAX.into(), COUNT / 2);
    for xs in [small, large] {
        in_units("log", &xs, f64::ln, |_| 3.0);
        in_units("log2", &xs, f64::log2, |_| 2.0);
        in_units("log10", &xs, f64::log10, |_| 3.0);
    }
}

#[test]
fn roots_are_within_their_relative_errors() {
    let xs = inputs::spread_exponents(f32::MIN_POSITIVE.into(), f32::MAX.into(), COUNT);
    for (name, bound) in [("sqrt", -23f64), ("rsqrt", -22.9)] {
        let mut most = 0f64;
        for (x, found) in approximations(name, &xs) {
            let truth = if name == "sqrt" {
                x.sqrt()
            } else {
                x.sqrt().recip()
            };
            let error = ((found - truth) / truth).abs();
            most = most.max(within(
                &format!("{name}({x:e})"),
                found,
                truth,
                error,
                bound.exp2(),
            ));
        }
        println!("{name}: at most {most:.2} of its bound");
    }
}

/// Quotients, for divisors from 2^-126 to 2^126. The guide does not define others.
#[test]
fn quotients_are_within_two_units() {
    let divisors = inputs::spread_exponents((-126f64).exp2(), 126f64.exp2(), COUNT);
    let dividends = inputs::spread(-100.0, 100.0, COUNT);
    let operands: Vec<_> = dividends.into_iter().zip(divisors).collect();
    let mut most = 0f64;
    for (a, b, found) in pairs("div", &operands) {
        let truth = a / b;
        let error = ulp::error(found, truth, ulp::unit_f32(truth), f32::MAX.into());
        most = most.max(within(&format!("{a:e} / {b:e}"), found, truth, error, 2.0));
    }
    println!("div: at most {most:.2} of its bound");
    // A larger divisor gives zero where the quotient is a number.
    let (_, _, zero) = pairs("div", &[(1e30, 126.5f64.exp2())])[0];
    assert!(
        zero == 0.0 || (zero - 1e30 / 126.5f64.exp2()).abs() < 1e-12,
        "{zero:e}"
    );
}

#[test]
fn powers_are_what_their_parts_add_up_to() {
    let bases = inputs::spread_exponents(1e-6, 1e6, COUNT);
    let exponents = inputs::spread(-6.0, 6.0, COUNT);
    // The second column runs through its range many times while the first does once.
    let operands = bases
        .into_iter()
        .enumerate()
        .map(|(i, x)| (x, exponents[i * 7919 % COUNT]));
    let operands: Vec<_> = operands.collect();
    let mut most = 0f64;
    for (x, y, found) in pairs("pow", &operands) {
        let truth = x.powf(y);
        let log2 = x.log2();
        let of_log2 = if (0.5..=2.0).contains(&x) {
            (-22f64).exp2()
        } else {
            2.0 * ulp::unit_f32(log2)
        };
        let of_product = y.abs() * of_log2 + 0.5 * ulp::unit_f32(y * log2);
        let bound = 2.0 * ulp::unit_f32(truth) + 1.01 * LN_2 * of_product * truth;
        let error = (found - truth).abs();
        most = most.max(within(
            &format!("pow({x:e}, {y:e})"),
            found,
            truth,
            error,
            bound,
        ));
    }
    println!("pow: at most {most:.2} of its bound");
}

/// With `--fast-math`, the accurate functions of a kernel become these functions.
#[test]
fn fast_math_puts_them_in_the_place_of_the_accurate_ones() {
    let rows: Vec<_> = inputs::spread(-PI, PI, 2_000)
        .into_iter()
        .map(|x| [x as f32, 0.0, 0.0])
        .collect();
    for (plain_name, name) in [("sine", "sin"), ("exponential", "exp")] {
        let approximations = run(FAST_MATH, approximate, APPROXIMATE, name, &rows);
        let accurate = run(DEFAULT, plain, PLAIN, plain_name, &rows);
        let fast = run(FAST_MATH, plain, PLAIN, plain_name, &rows);
        assert_eq!(fast, approximations, "{name}");
        assert_ne!(fast, accurate, "{name}");
    }
}
