//! `lanewise_std::math::add_rn` and its neighbours, bit by bit: every operation in every rounding.

use arithmetic::exact::{self, Exact};
use arithmetic::{Compiled, DEFAULT, FAST_MATH, Params, Row, inputs, run};
use arithmetic_kernels::{ROUNDED_F32, ROUNDED_F64, rounded_f32, rounded_f64};
use lanewise::DeviceCopy;
use lanewise_std::kernel::Kernel;

/// Asserts that every operation of a kernel gives the exact value, rounded.
fn check<T: Exact + DeviceCopy + Default + 'static, K: Kernel<Params = Params<T>>>(
    compiled: Compiled,
    kernel: K,
    names: &[&str],
    rows: &[Row<T>],
    is_judged: impl Fn(T) -> bool,
) {
    assert_eq!(names.len(), 28);
    for name in names {
        let mut judged = 0;
        for (row, found) in rows.iter().zip(run(compiled, kernel, names, name, rows)) {
            let wanted = exact::value(name, *row).expect("an operation");
            if !(row.iter().all(|x| is_judged(*x)) && is_judged(wanted)) {
                continue;
            }
            judged += 1;
            let (found, wanted) = (found.wide(), wanted.wide());
            let agree = found.to_bits() == wanted.to_bits() || (found.is_nan() && wanted.is_nan());
            let [a, b, c] = row.map(|x| x.wide());
            assert!(
                agree,
                "{name} of {a:e}, {b:e}, {c:e} is {wanted:e}, and was {found:e}"
            );
        }
        assert!(judged > rows.len() / 4, "{name}: {judged} rows are too few");
    }
}

#[test]
fn f32_is_rounded_as_the_name_says() {
    check(
        DEFAULT,
        rounded_f32,
        ROUNDED_F32,
        &inputs::f32_rows(12_000),
        |_| true,
    );
}

#[test]
fn f64_is_rounded_as_the_name_says() {
    check(
        DEFAULT,
        rounded_f64,
        ROUNDED_F64,
        &inputs::f64_rows(12_000),
        |_| true,
    );
}

/// Fast math flushes subnormals to zero, so they are left out here. It does not change the rounding
/// that a name contains.
#[test]
fn fast_math_does_not_touch_them() {
    let is_normal = |x: f32| !x.is_subnormal() && x.abs() != f32::MIN_POSITIVE;
    check(
        FAST_MATH,
        rounded_f32,
        ROUNDED_F32,
        &inputs::f32_rows(6_000),
        is_normal,
    );
    check(
        FAST_MATH,
        rounded_f64,
        ROUNDED_F64,
        &inputs::f64_rows(6_000),
        |_| true,
    );
}
