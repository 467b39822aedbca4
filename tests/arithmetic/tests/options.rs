//! `--fmad`, `--ftz`, `--prec-div`, `--prec-sqrt`, `--fast-math`: what nvcc's
//! documentation says about its options of these names, shown by values. The tests of
//! gpu/builder check the instructions.
//!
//! CUDA Compiler Driver documentation, "--use_fast_math" and its neighbours; CUDA programming
//! guide, "Floating-Point Standard".

use arithmetic::{
    Compiled, DEFAULT, FAST_MATH, FTZ, NO_FMAD, NO_PREC_DIV, NO_PREC_SQRT, Row, inputs, run, ulp,
};
use arithmetic_kernels::{PLAIN, plain};
use lanewise::{Backend, Device};

fn values(compiled: Compiled, name: &str, rows: &[Row<f32>]) -> Vec<u32> {
    let values = run(compiled, plain, PLAIN, name, rows);
    // Which NaN it is, is not what these options are about.
    values
        .into_iter()
        .map(|x| if x.is_nan() { u32::MAX } else { x.to_bits() })
        .collect()
}

/// Returns what the host computes for each row.
fn wanted(rows: &[Row<f32>], value: impl Fn(Row<f32>) -> f32) -> Vec<u32> {
    let values = rows.iter().map(|row| value(*row));
    values
        .map(|x| if x.is_nan() { u32::MAX } else { x.to_bits() })
        .collect()
}

fn flush(x: f32) -> f32 {
    if x.is_subnormal() {
        0.0f32.copysign(x)
    } else {
        x
    }
}

#[test]
fn by_default_everything_is_rounded_correctly_and_products_are_fused() {
    let rows = inputs::f32_rows(8_000);
    assert_eq!(
        values(DEFAULT, "sum", &rows),
        wanted(&rows, |[a, b, _]| a + b)
    );
    assert_eq!(
        values(DEFAULT, "product", &rows),
        wanted(&rows, |[a, b, _]| a * b)
    );
    assert_eq!(
        values(DEFAULT, "quotient", &rows),
        wanted(&rows, |[a, b, _]| a / b)
    );
    assert_eq!(
        values(DEFAULT, "root", &rows),
        wanted(&rows, |[a, ..]| a.sqrt())
    );
    assert_eq!(
        values(DEFAULT, "product_sum", &rows),
        wanted(&rows, |[a, b, c]| a.mul_add(b, c))
    );
}

#[test]
fn without_fmad_products_and_sums_are_rounded_by_themselves() {
    let rows = inputs::f32_rows(8_000);
    let apart = wanted(&rows, |[a, b, c]| a * b + c);
    assert_ne!(values(DEFAULT, "product_sum", &rows), apart);
    assert_eq!(values(NO_FMAD, "product_sum", &rows), apart);
}

#[test]
fn a_function_may_say_for_itself_that_nothing_is_fused() {
    let rows = inputs::f32_rows(8_000);
    assert_eq!(
        values(DEFAULT, "product_sum_apart", &rows),
        wanted(&rows, |[a, b, c]| a * b + c)
    );
}

#[test]
fn with_ftz_subnormals_are_zero_on_the_way_in_and_out() {
    // A result just below the smallest normal number may be rounded before or after it is flushed:
    // that one is left out.
    let mut rows = inputs::f32_rows(8_000);
    let is_clear = |x: f32| x.abs() != f32::MIN_POSITIVE;
    rows.retain(|[a, b, _]| is_clear(a + b) && is_clear(a * b) && is_clear(a / b));
    let flushed = |value: fn(f32, f32) -> f32| {
        wanted(&rows, move |[a, b, _]| flush(value(flush(a), flush(b))))
    };
    assert_eq!(values(FTZ, "sum", &rows), flushed(|a, b| a + b));
    assert_eq!(values(FTZ, "product", &rows), flushed(|a, b| a * b));
    assert_eq!(values(FTZ, "quotient", &rows), flushed(|a, b| a / b));
    assert_eq!(values(FTZ, "root", &rows), flushed(|a, _| a.sqrt()));
    assert_ne!(
        values(FTZ, "product", &rows),
        values(DEFAULT, "product", &rows)
    );
}

/// Divisors in the range for which the guide guarantees two units, and quotients that
/// are normal numbers.
fn quotients() -> Vec<Row<f32>> {
    let divisors = inputs::spread_exponents(1e-18, 1e18, 8_000).into_iter();
    let dividends = inputs::spread(-1e3, 1e3, 8_000).into_iter();
    dividends
        .zip(divisors)
        .map(|(a, b)| [a as f32, b as f32, 0.0])
        .collect()
}

/// Asserts that all are within `bound` units of the exact value. If the instruction is a GPU's, at
/// least one must not be the nearest (the simulator's approximations mostly are).
fn nearly(values: &[u32], rows: &[Row<f32>], bound: f64, truth: impl Fn(f64, f64) -> f64) {
    let mut inexact = 0;
    for (found, [a, b, _]) in values.iter().map(|bits| f32::from_bits(*bits)).zip(rows) {
        let truth = truth((*a).into(), (*b).into());
        let error = ulp::error(found.into(), truth, ulp::unit_f32(truth), f32::MAX.into());
        assert!(
            error <= bound,
            "of {a:e} and {b:e}: {found:e}, and {truth:e} is right: off by {error:.2} units"
        );
        inexact += usize::from(found != truth as f32);
    }
    let is_gpu = Device::open().is_ok_and(|device| device.backend() == Backend::Cuda);
    assert!(
        inexact > 0 || !is_gpu,
        "all are correctly rounded: nothing was approximate"
    );
}

#[test]
fn without_prec_div_quotients_are_within_two_units() {
    let rows = quotients();
    nearly(
        &values(NO_PREC_DIV, "quotient", &rows),
        &rows,
        2.0,
        |a, b| a / b,
    );
    // Roots are another option's business.
    let rows = inputs::f32_rows(3_000);
    assert_eq!(
        values(NO_PREC_DIV, "root", &rows),
        wanted(&rows, |[a, ..]| a.sqrt())
    );
}

/// 2^-23 of the value is at most one unit and a little, if the value's significand is small.
#[test]
fn without_prec_sqrt_roots_are_approximate() {
    let xs = inputs::spread_exponents(1e-30, 1e30, 8_000).into_iter();
    let rows: Vec<_> = xs.map(|x| [x as f32, 1.0, 0.0]).collect();
    nearly(&values(NO_PREC_SQRT, "root", &rows), &rows, 2.0, |a, _| {
        a.sqrt()
    });
    let rows = inputs::f32_rows(3_000);
    assert_eq!(
        values(NO_PREC_SQRT, "quotient", &rows),
        wanted(&rows, |[a, b, _]| a / b)
    );
}

#[test]
fn fast_math_is_all_of_them() {
    let rows = quotients();
    nearly(&values(FAST_MATH, "quotient", &rows), &rows, 2.0, |a, b| {
        a / b
    });
    let subnormal = [[f32::MIN_POSITIVE / 4.0, 1.0, 0.0]];
    assert_eq!(values(FAST_MATH, "sum", &subnormal), [1f32.to_bits()]);
    assert_eq!(values(FAST_MATH, "product", &subnormal), [0]);
    let rows = inputs::f32_rows(3_000);
    let rows: Vec<_> = rows
        .into_iter()
        .filter(|row| {
            row.iter()
                .all(|x| x.is_normal() && x.abs() < 1e9 && x.abs() > 1e-9)
        })
        .collect();
    assert_eq!(
        values(FAST_MATH, "product_sum", &rows),
        wanted(&rows, |[a, b, c]| flush(a.mul_add(b, c)))
    );
}

#[test]
fn a_function_may_be_fast_by_itself() {
    let rows = quotients();
    nearly(
        &values(DEFAULT, "quotient_fast", &rows),
        &rows,
        2.0,
        |a, b| a / b,
    );
    assert_eq!(
        values(DEFAULT, "quotient", &rows),
        wanted(&rows, |[a, b, _]| a / b)
    );
}
