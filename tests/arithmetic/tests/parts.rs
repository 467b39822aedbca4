//! Functions without an error, against the crate `libm` and the host's operators.

use arithmetic::inputs::{f32_rows, f64_rows};
use arithmetic::{DEFAULT, run};
use arithmetic_kernels::{PARTS_F32, PARTS_F64, parts_f32, parts_f64};

macro_rules! truth {
    ($name:ident, $float:ident: $ldexp:ident $frexp:ident $ilogb:ident $next:ident $fdim:ident $remquo:ident $modf:ident) => {
        /// The value by the crate `libm`.
        fn $name(name: &str, [a, b, _]: [$float; 3]) -> $float {
            let special = a == 0.0 || !a.is_finite();
            match name {
                "ldexp" => libm::$ldexp(a, b as i32),
                "fraction" => libm::$frexp(a).0,
                "exponent" if special => 0.0,
                "exponent" => libm::$frexp(a).1 as $float,
                "logb" if a == 0.0 => $float::NEG_INFINITY,
                "logb" if special => a.abs(),
                "logb" => libm::$ilogb(a) as $float,
                "ilogb" if a.is_infinite() => i32::MAX as $float,
                "ilogb" if special => i32::MIN as $float,
                "ilogb" => libm::$ilogb(a) as $float,
                "next_after" => libm::$next(a, b),
                "fdim" => libm::$fdim(a, b),
                "rem" => a % b,
                "remainder" => libm::$remquo(a, b).0,
                // Three bits are what C promises.
                "remquo" => (libm::$remquo(a, b).1 % 8) as $float,
                "modf" => libm::$modf(a).0,
                "whole" => libm::$modf(a).1,
                _ => panic!("no truth for `{name}`"),
            }
        }
    };
}

truth!(single, f32: ldexpf frexpf ilogbf nextafterf fdimf remquof modff);
truth!(double, f64: ldexp frexp ilogb nextafter fdim remquo modf);

#[test]
fn parts_of_f32_are_exact() {
    let rows = f32_rows(4_000);
    for name in PARTS_F32 {
        for (row, found) in rows
            .iter()
            .zip(run(DEFAULT, parts_f32, PARTS_F32, name, &rows))
        {
            let truth = single(name, *row);
            let agree = found.to_bits() == truth.to_bits() || found.is_nan() && truth.is_nan();
            assert!(agree, "{name}{row:?} is {truth:e}, and was {found:e}");
        }
    }
}

#[test]
fn parts_of_f64_are_exact() {
    let rows = f64_rows(4_000);
    for name in PARTS_F64 {
        for (row, found) in rows
            .iter()
            .zip(run(DEFAULT, parts_f64, PARTS_F64, name, &rows))
        {
            let truth = double(name, *row);
            let agree = found.to_bits() == truth.to_bits() || found.is_nan() && truth.is_nan();
            assert!(agree, "{name}{row:?} is {truth:e}, and was {found:e}");
        }
    }
}
