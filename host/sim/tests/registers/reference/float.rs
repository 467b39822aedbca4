//! Float arithmetic by `rustc_apfloat`: every format, every rounding. PTX ISA 9.7.3, 9.7.4, 9.7.5.
//!
//! That crate has no square root. The reference finds it by squaring candidates in the crate's
//! quadruple precision, where a square of 54 bits is exact.

use lanewise_sim::ptx::ast::{Modifier as M, Opcode, Type};
use rustc_apfloat::ieee::{BFloat, Double, Half, Quad, Single};
use rustc_apfloat::{Float, FloatConvert, Round, Status};

use super::{element, number};
use crate::kernel::{Case, low};

/// Returns the rounding that an instruction names.
pub fn rounding(case: &Case) -> Round {
    let modes = [
        (M::Rz, Round::TowardZero),
        (M::Rm, Round::TowardNegative),
        (M::Rp, Round::TowardPositive),
        (M::Rzi, Round::TowardZero),
        (M::Rmi, Round::TowardNegative),
        (M::Rpi, Round::TowardPositive),
    ];
    modes
        .iter()
        .find(|(word, _)| case.has(*word))
        .map_or(Round::NearestTiesToEven, |&(_, round)| round)
}

/// The result of an instruction that the ISA defines to the last bit.
pub fn expect(case: &Case, x: &[u128]) -> u128 {
    let ty = case.types[0];
    if let Some(part) = element(ty) {
        let bits = part.size() as u32 * 8;
        let at = |shift: u32| {
            one(
                case,
                part,
                &x.iter().map(|x| low(x >> shift, bits)).collect::<Vec<_>>(),
            )
        };
        return at(bits) << bits | at(0);
    }
    if case.types.len() == 2 {
        // Mixed precision: all but the last operand are halves.
        let mut wide: Vec<u128> = x
            .iter()
            .map(|&x| super::convert::to_f32(case.types[1], x))
            .collect();
        wide[x.len() - 1] = x[x.len() - 1];
        return one(case, ty, &wide);
    }
    one(case, ty, x)
}

fn one(case: &Case, ty: Type, x: &[u128]) -> u128 {
    // A NaN of its own, of either sign, makes the whole result zero: as an H200 has it.
    let marked = |x: u128| x == 0x7ff7 || x == 0xfff7;
    if case.has(M::Oob) && (marked(x[0]) || marked(x[1])) {
        return 0;
    }
    let ftz = case.has(M::Ftz);
    let flush = |x: u128| if ftz { number::flush(ty, x) } else { x };
    let x: Vec<u128> = x.iter().map(|&x| flush(x)).collect();
    let operation = match ty {
        Type::F16 => arithmetic::<Half>,
        Type::Bf16 => arithmetic::<BFloat>,
        Type::F32 => arithmetic::<Single>,
        _ => arithmetic::<Double>,
    };
    let result = match case.opcode {
        Opcode::Min | Opcode::Max => extreme(case, ty, &x),
        Opcode::Copysign => {
            let sign = 1 << (ty.size() * 8 - 1);
            return x[1] & !sign | x[0] & sign;
        }
        _ => operation(case, &x),
    };
    let result = if !number::value(ty, result).is_nan() {
        if ftz && is_tiny(case, ty, &x) {
            result & 1 << (ty.size() * 8 - 1)
        } else {
            flush(result)
        }
    } else if ty != Type::F64 {
        number::nan(ty)
    } else {
        let mut order = x.clone();
        match case.opcode {
            Opcode::Div => {}
            Opcode::Fma | Opcode::Mad => order.rotate_left(1),
            _ => order.reverse(),
        }
        number::nan_of(order)
    };
    settle(case, ty, result)
}

/// Returns whether a result is below the smallest normal number when it is rounded with unlimited
/// exponents. The operation's result in quadruple precision, rounded towards zero, is compared with
/// the least value that rounds to that number.
fn is_tiny(case: &Case, ty: Type, x: &[u128]) -> bool {
    fn wide<F: FloatConvert<Quad>>(x: u128) -> Quad {
        F::from_bits(x).convert(&mut false).value
    }
    let (wide, digits): (fn(u128) -> Quad, i32) = match ty {
        Type::F16 => (wide::<Half>, 11),
        _ => (wide::<Single>, 24),
    };
    let operand = |i: usize| wide(x[i]);
    let down = Round::TowardZero;
    let result = match case.opcode {
        Opcode::Add => operand(0).add_r(operand(1), down),
        Opcode::Sub => operand(0).sub_r(operand(1), down),
        Opcode::Mul => operand(0).mul_r(operand(1), down),
        Opcode::Fma | Opcode::Mad => operand(0).mul_add_r(operand(1), operand(2), down),
        Opcode::Div => operand(0).div_r(operand(1), down),
        Opcode::Rcp => Quad::from_u128(1).value.div_r(operand(0), down),
        _ => return false,
    };
    let exponent = if ty == Type::F16 { -14 } else { -126 };
    let part = |digits: i32| Quad::from_u128(1).value.scalbn(exponent - digits);
    let normal = part(0);
    let (magnitude, exact) = (result.value.abs(), result.status == Status::OK);
    let away = match rounding(case) {
        Round::TowardPositive => !result.value.is_negative(),
        Round::TowardNegative => result.value.is_negative(),
        Round::TowardZero => false,
        _ => return magnitude < (normal - part(digits + 1)).value,
    };
    if away {
        let below = (normal - part(digits)).value;
        magnitude < below || magnitude == below && exact
    } else {
        magnitude < normal
    }
}

/// `.sat` and `.relu`.
pub fn settle(case: &Case, ty: Type, result: u128) -> u128 {
    let value = number::value(ty, result);
    if case.has(M::Sat) && !(value > 0.0 && value < 1.0) {
        let one = number::format(ty)
            .map(|format| ((1 << (format.exponent_bits - 1)) - 1) << format.fraction_bits);
        return if value >= 1.0 {
            one.unwrap_or_default()
        } else {
            0
        };
    }
    if case.has(M::Relu) && value <= 0.0 {
        return 0;
    }
    result
}

fn arithmetic<F: Float + FloatConvert<Quad>>(case: &Case, x: &[u128]) -> u128
where
    Quad: FloatConvert<F>,
{
    let round = rounding(case);
    let operand = |i: usize| F::from_bits(x[i]);
    let one = || F::from_u128(1).value;
    let result = match case.opcode {
        Opcode::Add => operand(0).add_r(operand(1), round).value,
        Opcode::Sub => operand(0).sub_r(operand(1), round).value,
        Opcode::Mul => operand(0).mul_r(operand(1), round).value,
        Opcode::Fma | Opcode::Mad => operand(0).mul_add_r(operand(1), operand(2), round).value,
        Opcode::Div => operand(0).div_r(operand(1), round).value,
        Opcode::Rcp => one().div_r(operand(0), round).value,
        Opcode::Sqrt => root(operand(0), round),
        Opcode::Neg => -operand(0),
        Opcode::Abs => operand(0).abs(),
        opcode => panic!("no reference for {opcode:?}"),
    };
    result.to_bits()
}

/// The square root.
fn root<F: Float + FloatConvert<Quad>>(x: F, round: Round) -> F
where
    Quad: FloatConvert<F>,
{
    if x.is_zero() || x.is_nan() || x.is_infinite() && !x.is_negative() {
        return x;
    }
    if x.is_negative() {
        return F::NAN;
    }
    let wide = |x: F| -> Quad { x.convert(&mut false).value };
    let square = |x: Quad| x.mul_r(x, Round::TowardZero).value;
    // The largest number whose square is not above x, from below: the bits of floats are in the
    // order of their values.
    let (mut below, mut above) = (0, F::INFINITY.to_bits());
    while above - below > 1 {
        let middle = (below + above) / 2;
        if square(wide(F::from_bits(middle))) <= wide(x) {
            below = middle
        } else {
            above = middle
        }
    }
    let (low, high) = (F::from_bits(below), F::from_bits(above));
    let half = Quad::from_u128(2).value;
    let middle = (wide(low) + wide(high))
        .value
        .div_r(half, Round::TowardZero)
        .value;
    let up = match round {
        Round::TowardPositive => square(wide(low)) < wide(x),
        Round::NearestTiesToEven => {
            square(middle) < wide(x) || square(middle) == wide(x) && below & 1 == 1
        }
        _ => false,
    };
    if up { high } else { low }
}

/// `min` and `max`, of two or three, by the order of values.
fn extreme(case: &Case, ty: Type, x: &[u128]) -> u128 {
    let sign: u128 = 1 << (ty.size() * 8 - 1);
    let magnitudes = case.has(M::Xorsign) || case.has(M::Abs);
    let candidates = x.iter().map(|x| if magnitudes { x & !sign } else { *x });
    let is_nan = |x: &u128| number::value(ty, *x).is_nan();
    if case.has(M::PropagateNan) && x.iter().any(is_nan) {
        return number::nan(ty);
    }
    // -0 is below +0.
    let order = |a: &u128, b: &u128| {
        let key = |x: u128| (number::value(ty, x), x & sign == 0);
        key(*a).partial_cmp(&key(*b)).expect("numbers")
    };
    let numbers = candidates.filter(|x| !is_nan(x));
    let found = if case.opcode == Opcode::Min {
        numbers.min_by(order)
    } else {
        numbers.max_by(order)
    };
    match found {
        None => number::nan(ty),
        Some(found) if case.has(M::Xorsign) => found | (x[0] ^ x[1]) & sign,
        Some(found) => found,
    }
}
