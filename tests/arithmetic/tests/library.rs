//! `lanewise_std::math` on the device against the host's `std`: within the bounds that NVIDIA
//! documents for CUDA's functions.
//!
//! The reference for an `f32` is `std`'s `f64`, which is exact for this purpose. The reference for
//! an `f64` is `std`'s own, whose errors are added to the bound.

use std::f64::consts::PI;

use arithmetic::bounds::Bound;
use arithmetic::{DEFAULT, Row, inputs, run, ulp, values};
use arithmetic_kernels::{LIBRARY_F32, LIBRARY_F64, library_f32, library_f64};
use lanewise_std::math::Float;

/// The largest error of the references in `f64`, in units in the last place.
const HOST: f64 = 1.0;

/// The reference from `std`.
fn truth(name: &str, [a, b, c]: Row<f64>) -> f64 {
    match name {
        "sin" => a.sin(),
        "cos" => a.cos(),
        "tan" => a.tan(),
        "asin" => a.asin(),
        "acos" => a.acos(),
        "atan" => a.atan(),
        "atan2" => a.atan2(b),
        "sinh" => a.sinh(),
        "cosh" => a.cosh(),
        "tanh" => a.tanh(),
        "asinh" => a.asinh(),
        "acosh" => a.acosh(),
        // `std` loses digits near -1, where it takes the logarithm of a difference.
        "atanh" => a.abs().atanh().copysign(a),
        "exp" => a.exp(),
        "exp2" => a.exp2(),
        "exp10" => 10f64.powf(a),
        "exp_m1" => a.exp_m1(),
        "ln" => a.ln(),
        "log2" => a.log2(),
        "log10" => a.log10(),
        "ln_1p" => a.ln_1p(),
        "powf" => a.powf(b),
        "rsqrt" => 1.0 / a.sqrt(),
        "cbrt" => a.cbrt(),
        "rcbrt" => 1.0 / a.cbrt(),
        "powi" => a.powi(3),
        "erf" => Float::erf(a),
        "erfc" => Float::erfc(a),
        "sin_pi" | "sin_pi_of_pair" => sin_pi(a),
        "cos_pi" | "cos_pi_of_pair" => sin_pi(0.5 - (a - 2.0 * (0.5 * a).round_ties_even()).abs()),
        "sin_of_pair" => a.sin(),
        "cos_of_pair" => a.cos(),
        "hypot" => a.hypot(b),
        "rhypot" => 1.0 / a.hypot(b),
        "norm3d" | "norm" => a.hypot(b).hypot(c),
        "rnorm3d" | "rnorm" => 1.0 / a.hypot(b).hypot(c),
        "norm4d" => a.hypot(a).hypot(b.hypot(c)),
        "rnorm4d" => 1.0 / a.hypot(a).hypot(b.hypot(c)),
        "sqrt" => a.sqrt(),
        "mul_add" => a.mul_add(b, c),
        name => {
            let value = values::of(name)
                .iter()
                .find(|(x, _)| x.to_bits() == a.to_bits());
            let (_, value) = *value.unwrap_or_else(|| panic!("no truth for `{name}` of {a:e}"));
            value
        }
    }
}

/// The sine of `pi a`, by its symmetries: `pi a` itself is not accurate near whole numbers.
fn sin_pi(a: f64) -> f64 {
    let turn = a - 2.0 * (0.5 * a).round_ties_even();
    let half = if turn.abs() > 0.5 {
        turn.signum() - turn
    } else {
        turn
    };
    let quarter = half.abs() > 0.25;
    let value = if quarter {
        (PI * (0.5 - half.abs())).cos()
    } else {
        (PI * half.abs()).sin()
    };
    value.copysign(half)
}

/// Operands over a function's range, and its edges.
fn operands(name: &str) -> Vec<Row<f64>> {
    let known: Vec<_> = values::of(name)
        .iter()
        .map(|&(x, _)| [x, 0.0, 0.0])
        .collect();
    if !known.is_empty() {
        return known;
    }
    let (low, high) = match name {
        "asin" | "acos" | "atanh" => (-1.0, 1.0),
        "acosh" => (1.0, 1e4),
        "sinh" | "cosh" | "exp" | "exp_m1" => (-80.0, 80.0),
        "exp2" => (-120.0, 120.0),
        "exp10" => (-37.0, 37.0),
        "erf" | "erfc" => (-5.0, 11.0),
        "sqrt" | "rsqrt" | "ln" | "log2" | "log10" => (1e-3, 1e3),
        "ln_1p" => (-0.999, 1e3),
        "tanh" => (-10.0, 10.0),
        _ => (-1e3, 1e3),
    };
    let xs = inputs::spread(low, high, 3_000);
    let ys = inputs::spread(-8.0, 8.0, 3_000);
    let mut rows: Vec<_> = (0..xs.len())
        .map(|i| [xs[i], ys[i * 1237 % ys.len()], ys[i * 311 % ys.len()]])
        .collect();
    if name == "powf" {
        rows.iter_mut().for_each(|row| row[0] = row[0].abs());
    }
    let edges = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        0.5,
        1e-30,
        2.0,
    ];
    rows.extend(edges.into_iter().flat_map(|a| edges.map(|b| [a, b, 1.0])));
    rows
}

/// Returns the unit with which the bound of a Bessel function becomes the documented absolute
/// error, where that is what is documented.
fn unit(name: &str, x: f64, of: usize) -> Option<f64> {
    let bound = Bound::of(name);
    let absolute = bound.absolute().filter(|_| name == "jn" || x.abs() >= 8.0);
    absolute.map(|absolute| absolute[of] / bound.errors()[of])
}

#[test]
fn f32_is_as_accurate_as_the_hosts() {
    for name in LIBRARY_F32 {
        let rows: Vec<Row<f32>> = operands(name)
            .into_iter()
            .filter(|row| values::of(name).is_empty() || f64::from(row[0] as f32) == row[0])
            .map(|row| row.map(|x| x as f32))
            .collect();
        let mut most = 0f64;
        for (row, found) in rows
            .iter()
            .zip(run(DEFAULT, library_f32, LIBRARY_F32, name, &rows))
        {
            // A fused operation on three `f32` is exact in `f64` only up to its last bit; the
            // host's own `f32` is rounded once.
            let truth = match *name {
                "mul_add" => f64::from(row[0].mul_add(row[1], row[2])),
                name => truth(name, row.map(f64::from)),
            };
            let [bound, _] = Bound::of(name).errors();
            let unit = unit(name, row[0].into(), 0).unwrap_or(ulp::unit_f32(truth));
            let error = ulp::error(found.into(), truth, unit, f32::MAX.into());
            assert!(
                error <= bound,
                "{name}{row:?} is {truth:e}, and was {found:e}: off by {error:.2} units"
            );
            most = most.max(error);
        }
        println!("{name}: off by at most {most:.2} units");
    }
}

#[test]
fn f64_is_as_accurate_as_the_hosts() {
    for name in LIBRARY_F64 {
        let rows = operands(name);
        let mut most = 0f64;
        for (row, found) in rows
            .iter()
            .zip(run(DEFAULT, library_f64, LIBRARY_F64, name, &rows))
        {
            let truth = truth(name, *row);
            let [_, bound] = Bound::of(name).errors().map(|error| error + HOST);
            let unit = unit(name, row[0], 1).unwrap_or(ulp::unit_f64(truth));
            let error = ulp::error(found, truth, unit, f64::MAX);
            assert!(
                error <= bound,
                "{name}{row:?} is {truth:e}, and was {found:e}: off by {error:.2} units"
            );
            most = most.max(error);
        }
        println!("{name}: off by at most {most:.2} units");
    }
}
