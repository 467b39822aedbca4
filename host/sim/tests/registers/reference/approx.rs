//! Approximations: the value in f64 and the error that the PTX ISA allows, 9.7.3 and 9.7.4.

use std::f64::consts::PI;

use lanewise_sim::ptx::ast::{Modifier as M, Opcode, Type};

use super::number::{self, power, value};
use super::{Expect, Half, element};
use crate::kernel::{Case, low};

pub fn expect(case: &Case, x: &[u128]) -> Expect {
    let ty = case.types[0];
    let Some(half) = element(ty) else {
        return one(case, ty, x);
    };
    Expect::Halves(
        [0, 16].map(|shift| match one(case, half, &[low(x[0] >> shift, 16)]) {
            Expect::Near(ty, value, distance) => Half::Near(ty, value, distance),
            Expect::Bits(bits) => Half::Bits(bits),
            other => panic!("{other:?} of half a register"),
        }),
    )
}

fn one(case: &Case, ty: Type, x: &[u128]) -> Expect {
    let flush = |x: u128| {
        if case.has(M::Ftz) && ty != Type::F64 {
            number::flush(ty, x)
        } else {
            x
        }
    };
    let v: Vec<f64> = x.iter().map(|&x| value(ty, flush(x))).collect();
    if ty == Type::F64 {
        return double(case, x[0]);
    }
    if v.iter().any(|v| v.is_nan()) {
        return Expect::Bits(number::nan(ty));
    }
    let unit = |y: f64| number::format(ty).expect("a float").unit(y);
    let a = v[0];
    let near = |y: f64, distance: f64| Expect::Near(ty, y, distance);
    match case.opcode {
        Opcode::Rcp => near(1.0 / a, unit(1.0 / a)),
        Opcode::Sqrt => near(a.sqrt(), a.sqrt() * power(-23)),
        Opcode::Rsqrt => {
            let y = 1.0 / a.sqrt();
            near(y, y.abs() * power(-22) * 0.536) // 2^-22.9
        }
        Opcode::Div => quotient(case, ty, a, v[1]),
        Opcode::Ex2 => {
            let y = a.exp2();
            if ty == Type::F16 && y < power(-14) {
                // Subnormal results are cut off: measured on an H200.
                return Expect::Bits((y * power(24)) as u128);
            }
            near(
                y,
                match ty {
                    // 2^-9.9, where f16 has the digits.
                    Type::F16 => (y * 0.001_047).max(unit(y) / 2.0),
                    Type::Bf16 => y * power(-7),
                    _ => 2.0 * unit(y),
                },
            )
        }
        Opcode::Lg2 => {
            let y = a.log2();
            near(
                y,
                if a > 0.5 && a < 2.0 {
                    power(-22)
                } else {
                    y.abs() * power(-22)
                },
            )
        }
        Opcode::Tanh => {
            let y = a.tanh();
            near(
                y,
                match ty {
                    Type::F16 => 0.000_493, // 2^-10.987
                    Type::Bf16 => power(-8),
                    _ => y.abs() * power(-11),
                },
            )
        }
        Opcode::Sin | Opcode::Cos => {
            let y = if case.opcode == Opcode::Sin {
                a.sin()
            } else {
                a.cos()
            };
            let bound = match a.abs() {
                a if a <= 2.0 * PI => 6.74e-7,   // 2^-20.5
                a if a <= 100.0 * PI => 3.75e-5, // 2^-14.7
                _ => 2.0,                        // not bounded
            };
            near(y, bound)
        }
        opcode => panic!("no reference for {opcode:?}"),
    }
}

/// `div.approx` and `div.full`: 2 ulp. The first gives zero if the divisor's
/// reciprocal is subnormal.
fn quotient(case: &Case, ty: Type, a: f64, b: f64) -> Expect {
    let y = a / b;
    let hole = b.abs() > power(126) && b.abs() < f64::INFINITY;
    if case.has(M::Approx) && hole {
        return if a.is_infinite() {
            Expect::Bits(number::nan(ty))
        } else {
            Expect::Near(ty, 0.0, 0.0)
        };
    }
    Expect::Near(ty, y, 2.0 * number::format(ty).expect("a float").unit(y))
}

/// The f64 forms: the gross ones read and write upper words, 20 bits of fraction.
fn double(case: &Case, x: u128) -> Expect {
    let ty = Type::F64;
    let gross = case.has(M::Ftz);
    let x = if gross {
        number::flush(ty, x) >> 32 << 32
    } else {
        x
    };
    let a = value(ty, x);
    if a.is_nan() {
        return Expect::Nan(ty);
    }
    let y = if case.opcode == Opcode::Rcp {
        1.0 / a
    } else {
        1.0 / a.sqrt()
    };
    if gross && y.abs() < f64::MIN_POSITIVE {
        let sign = if y.is_sign_negative() { 1 << 63 } else { 0 };
        return Expect::Bits(sign);
    }
    Expect::Near(ty, y, y.abs() * if gross { power(-20) } else { power(-51) })
}
