//! Conversions: softfloats between floats, `i128` for integers, neighbours for the small formats.
//! PTX ISA 9.7.9.

use lanewise_sim::ptx::ast::{Modifier as M, Type};
use rustc_apfloat::ieee::{BFloat, Double, Half, Single};
use rustc_apfloat::{Float, FloatConvert, Round};

use super::float::{rounding, settle};
use super::integer::range;
use super::small::{Tiny, nearest, tf32};
use super::{Expect, integer, number};
use crate::kernel::{Case, low};

pub fn expect(case: &Case, x: &[u128]) -> Vec<Expect> {
    let (to, from) = (case.types[0], case.types[1]);
    if case.has(M::Pack) {
        return vec![Expect::Bits(packed_integers(case, x))];
    }
    if case.has(M::Rs) {
        return vec![Expect::Bits(stochastic(case, x))];
    }
    let bits = match (to, from) {
        (Type::Tf32, _) => to_tf32(case, x[0] as u32).into(),
        (Type::F16x2 | Type::Bf16x2, Type::F32) => {
            let half = if to == Type::F16x2 {
                Type::F16
            } else {
                Type::Bf16
            };
            float_to_float(case, half, from, x[0]) << 16 | float_to_float(case, half, from, x[1])
        }
        (Type::F16x2, _) => from_tiny(case, x[0]),
        (Type::Bf16x2, _) => [8, 0].iter().fold(0, |all, &shift| {
            all << 16 | from_scale(low(x[0] >> shift, 8))
        }),
        (Type::Ue8m0x2, _) => {
            let operands = operands_as_f32(from, x);
            to_scale(case, operands[0]) << 8 | to_scale(case, operands[1])
        }
        _ if Tiny::of(to).is_some() => {
            let tiny = Tiny::of(to).expect("checked");
            let narrow = |x: f64| tiny.narrow(if case.has(M::Relu) { relu(x) } else { x }, nearest);
            let operands = operands_as_f32(from, x);
            narrow(operands[0]) << tiny.stride() | narrow(operands[1])
        }
        _ => return vec![single(case, to, from, x[0])],
    };
    vec![Expect::Bits(bits)]
}

/// The two numbers of a pair, the upper one first, or of two operands.
fn operands_as_f32(from: Type, x: &[u128]) -> [f64; 2] {
    let half = match from {
        Type::F16x2 => Type::F16,
        Type::Bf16x2 => Type::Bf16,
        _ => return [number::value(from, x[0]), number::value(from, x[1])],
    };
    [x[0] >> 16, low(x[0], 16)].map(|x| number::value(half, x))
}

fn relu(x: f64) -> f64 {
    if x <= 0.0 { 0.0 } else { x }
}

/// Converts one number to one number.
fn single(case: &Case, to: Type, from: Type, x: u128) -> Expect {
    let bits = case.writes[0].bits();
    let is_float = |ty| number::format(ty).is_some();
    let (least, most) = if is_float(to) { (0, 0) } else { range(to) };
    // What a register holds of an integer: extended by its type's sign.
    let held = |value: i128| Expect::Bits(low(integer::value(to, value as u128) as u128, bits));
    match (is_float(to), is_float(from)) {
        (false, false) => {
            let value = integer::value(from, x);
            held(if case.has(M::Sat) {
                value.clamp(least, most)
            } else {
                value
            })
        }
        (false, true) => {
            let x = if case.has(M::Ftz) && from == Type::F32 {
                number::flush(from, x)
            } else {
                x
            };
            let value = number::value(from, x);
            if value.is_nan() {
                // As measured on an H200.
                let wide = from == Type::F64;
                return held(match to.size() {
                    8 => 1 << 63,
                    size if wide => 1 << (size * 8 - 1),
                    _ => 0,
                });
            }
            let whole = match rounding(case) {
                Round::TowardZero => value.trunc(),
                Round::TowardNegative => value.floor(),
                Round::TowardPositive => value.ceil(),
                _ => value.round_ties_even(),
            };
            held((whole as i128).clamp(least, most))
        }
        (true, false) => {
            let value = integer::value(from, x);
            let result = match to {
                Type::F16 => Half::from_i128_r(value, rounding(case)).value.to_bits(),
                Type::Bf16 => BFloat::from_i128_r(value, rounding(case)).value.to_bits(),
                Type::F32 => Single::from_i128_r(value, rounding(case)).value.to_bits(),
                _ => Double::from_i128_r(value, rounding(case)).value.to_bits(),
            };
            Expect::Bits(settle(case, to, result))
        }
        (true, true) => {
            let half = matches!(from, Type::F16 | Type::Bf16);
            if number::value(from, x).is_nan() && half && to == Type::F64 && !case.has(M::Sat) {
                return Expect::Nan(to);
            }
            Expect::Bits(float_to_float(case, to, from, x))
        }
    }
}

/// A half as f32.
pub fn to_f32(from: Type, x: u128) -> u128 {
    convert(from, Type::F32, x, Round::NearestTiesToEven)
}

fn convert(from: Type, to: Type, x: u128, round: Round) -> u128 {
    fn between<A: FloatConvert<B>, B: Float>(x: u128, round: Round) -> u128 {
        A::from_bits(x).convert_r(round, &mut false).value.to_bits()
    }
    use Type::*;
    let convert = match (from, to) {
        (F16, Bf16) => between::<Half, BFloat>,
        (F16, F32) => between::<Half, Single>,
        (F16, F64) => between::<Half, Double>,
        (Bf16, F16) => between::<BFloat, Half>,
        (Bf16, F32) => between::<BFloat, Single>,
        (Bf16, F64) => between::<BFloat, Double>,
        (F32, F16) => between::<Single, Half>,
        (F32, Bf16) => between::<Single, BFloat>,
        (F32, F64) => between::<Single, Double>,
        (F64, F16) => between::<Double, Half>,
        (F64, Bf16) => between::<Double, BFloat>,
        (F64, F32) => between::<Double, Single>,
        _ => panic!("no conversion from {from:?} to {to:?}"),
    };
    convert(x, round)
}

fn whole(ty: Type, x: u128, round: Round) -> u128 {
    match ty {
        Type::F16 => Half::from_bits(x).round_to_integral(round).value.to_bits(),
        Type::Bf16 => BFloat::from_bits(x)
            .round_to_integral(round)
            .value
            .to_bits(),
        Type::F32 => Single::from_bits(x)
            .round_to_integral(round)
            .value
            .to_bits(),
        _ => Double::from_bits(x)
            .round_to_integral(round)
            .value
            .to_bits(),
    }
}

fn float_to_float(case: &Case, to: Type, from: Type, x: u128) -> u128 {
    let flush = |ty: Type, x: u128| {
        if case.has(M::Ftz) && ty == Type::F32 {
            number::flush(ty, x)
        } else {
            x
        }
    };
    let rounds = [M::Rni, M::Rzi, M::Rmi, M::Rpi]
        .iter()
        .any(|&word| case.has(word));
    let nan = number::value(from, x).is_nan();
    let x = flush(from, x);
    let result = match (nan, from, to) {
        _ if from == to && !rounds => x,
        // The payload stays, as far as it fits: measured on an H200.
        (true, Type::F32, Type::F64) => {
            (x & 0x8000_0000) << 32 | 0x7ff8_0000_0000_0000 | (x & 0x7f_ffff) << 29
        }
        (true, Type::F64, Type::F32) => x >> 32 & 0x8000_0000 | 0x7fc0_0000 | x >> 29 & 0x7f_ffff,
        (true, Type::F64, Type::F64) => number::nan_of([x]),
        (true, ..) => number::nan(to),
        _ if rounds => whole(to, x, rounding(case)),
        _ => convert(from, to, x, rounding(case)),
    };
    let result = if case.has(M::Satfinite) {
        finite(to, result)
    } else {
        result
    };
    // What is below the smallest normal number when rounded as if exponents had no end is flushed.
    let tiny = case.has(M::Ftz) && (to, from) == (Type::F32, Type::F64) && !nan && {
        let up = Double::from_bits(x).scalbn(64).to_bits();
        number::value(to, convert(from, to, up, rounding(case))).abs() < f64::exp2(64.0 - 126.0)
    };
    let result = if tiny { result & 0x8000_0000 } else { result };
    settle(case, to, flush(to, result))
}

/// `.satfinite`: turns an infinity into the largest number.
fn finite(ty: Type, x: u128) -> u128 {
    if number::value(ty, x).is_infinite() {
        x - 1
    } else {
        x
    }
}

fn to_tf32(case: &Case, x: u32) -> u32 {
    let nan = f32::from_bits(x).is_nan();
    if case.has(M::Rna) && (nan || f32::from_bits(x).is_infinite()) {
        // The low bits are cut off, and saturation takes the one before: measured on an H200.
        let cut = x / 0x2000 - u32::from(case.has(M::Satfinite));
        return cut * 0x2000;
    }
    if nan {
        return 0x7fff_e000;
    }
    let result = if case.has(M::Rna) {
        tf32(x, |way, _| way >= 0.5)
    } else if case.has(M::Rz) {
        tf32(x, |_, _| false)
    } else {
        tf32(x, nearest)
    };
    let value = f32::from_bits(result);
    let result = if case.has(M::Satfinite) && value.is_infinite() {
        result & 0x8000_0000 | 0x7f7f_e000
    } else {
        result
    };
    if case.has(M::Relu) && value <= 0.0 {
        0
    } else {
        result
    }
}

/// Two small numbers as a pair of f16.
fn from_tiny(case: &Case, x: u128) -> u128 {
    let tiny = Tiny::of(case.types[1]).expect("a small format");
    let part = |shift: u32| {
        let value = tiny.value(low(x >> shift, tiny.stride()));
        let value = if case.has(M::Relu) {
            relu(value)
        } else {
            value
        };
        if value.is_nan() {
            return number::nan(Type::F16);
        }
        convert(
            Type::F64,
            Type::F16,
            value.to_bits().into(),
            Round::NearestTiesToEven,
        )
    };
    part(tiny.stride()) << 16 | part(0)
}

/// ue8m0: the power of two in the direction of the rounding.
fn to_scale(case: &Case, x: f64) -> u128 {
    if x.is_nan() {
        return 0xff;
    }
    let power = |bits: i32| number::power(bits - 127);
    let largest = if case.has(M::Satfinite) { 254 } else { 255 };
    let found = if case.has(M::Rp) {
        (0..255).find(|&bits| power(bits) >= x.abs())
    } else {
        (0..255)
            .rev()
            .find(|&bits| power(bits) <= x.abs())
            .or(Some(0))
    };
    let found = if x.is_infinite() { None } else { found };
    found.unwrap_or(255).min(largest) as u128
}

fn from_scale(x: u128) -> u128 {
    match x {
        0xff => number::nan(Type::Bf16),
        _ => convert(
            Type::F64,
            Type::Bf16,
            number::power(x as i32 - 127).to_bits().into(),
            Round::TowardZero,
        ),
    }
}

fn packed_integers(case: &Case, x: &[u128]) -> u128 {
    let (bits, signed) = match case.types[0] {
        Type::U16 => (16, false),
        Type::S16 => (16, true),
        Type::U8 => (8, false),
        Type::S8 => (8, true),
        _ => match case.words[2] {
            M::U4 => (4, false),
            M::S4 => (4, true),
            M::U2 => (2, false),
            _ => (2, true),
        },
    };
    let (least, most) = if signed {
        (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
    } else {
        (0, (1 << bits) - 1)
    };
    let part = |x: u128| {
        low(
            integer::value(Type::S32, x).clamp(least, most) as u128,
            bits,
        )
    };
    low(
        x.get(2).unwrap_or(&0) << (2 * bits) | part(x[0]) << bits | part(x[1]),
        32,
    )
}

/// Rounds up if the fractional part and the random bits, as a fraction, add up to one or more.
fn randomly(random: u128, bits: u32) -> impl Fn(f64, u32) -> bool {
    move |way, _| way + random as f64 * number::power(-(bits as i32)) >= 1.0
}

fn stochastic(case: &Case, x: &[u128]) -> u128 {
    let random = x[x.len() - 1];
    let half = match case.types[0] {
        Type::F16x2 => (Type::F16, 13),
        Type::Bf16x2 => (Type::Bf16, 16),
        _ => return four(case, x, random),
    };
    let part = |x: u128, random: u128| half_randomly(case, half.0, x, low(random, half.1), half.1);
    part(x[0], random >> 16) << 16 | part(x[1], random)
}

/// Returns one of the two halves next to an f32.
fn half_randomly(case: &Case, ty: Type, x: u128, random: u128, bits: u32) -> u128 {
    let value = number::value(Type::F32, x);
    if value.is_nan() {
        return number::nan(ty);
    }
    let towards = convert(Type::F32, ty, x, Round::TowardZero);
    let below = number::value(ty, towards).abs();
    let unit = number::format(ty).expect("a half").unit(below);
    let up = value.is_finite() && randomly(random, bits)((value.abs() - below) / unit, 0);
    let result = if case.has(M::Satfinite) {
        finite(ty, towards + u128::from(up))
    } else {
        towards + u128::from(up)
    };
    settle(case, ty, result)
}

/// Converts four numbers to a small format. Each 16 random bits serve two of them.
fn four(case: &Case, x: &[u128], random: u128) -> u128 {
    let tiny = Tiny::of(case.types[0]).expect("a small format");
    let shared = if tiny.stride() == 4 {
        [
            random >> 24 << 8 | random >> 8 & 0xff,
            (random >> 16 & 0xff) << 8 | random & 0xff,
        ]
    } else {
        [random >> 16, random & 0xffff]
    };
    let mut result = 0;
    for (index, &x) in x[..4].iter().enumerate() {
        let bits = shared[index / 2] as u16;
        let bits = if index % 2 == 0 {
            bits.reverse_bits()
        } else {
            bits
        };
        let value = number::value(Type::F32, x);
        let value = if case.has(M::Relu) {
            relu(value)
        } else {
            value
        };
        result = result << tiny.stride() | tiny.narrow(value, randomly(bits.into(), 16));
    }
    result
}
