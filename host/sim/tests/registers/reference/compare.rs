//! Comparisons and selections by the order of values: PTX ISA 9.7.3 (`testp`), 9.7.6, 9.7.7.

use std::cmp::Ordering;

use lanewise_sim::ptx::ast::{Modifier as M, Opcode, Type};

use super::{Expect, element, integer, number};
use crate::kernel::{Case, low};

pub fn expect(case: &Case, x: &[u128]) -> Vec<Expect> {
    match case.opcode {
        Opcode::Selp => vec![Expect::Bits(if x[2] == 1 { x[0] } else { x[1] })],
        Opcode::Slct => vec![Expect::Bits(if not_negative(case, x[2]) {
            x[0]
        } else {
            x[1]
        })],
        Opcode::Testp => vec![Expect::Bits(u128::from(property(case, x[0])))],
        Opcode::Setp => setp(case, x),
        _ => vec![Expect::Bits(set(case, x))],
    }
}

fn not_negative(case: &Case, x: u128) -> bool {
    match case.types[1] {
        Type::S32 => integer::value(Type::S32, x) >= 0,
        _ => number::value(Type::F32, flushed(case, Type::F32, x)) >= 0.0,
    }
}

fn property(case: &Case, x: u128) -> bool {
    let ty = case.types[0];
    let value = number::value(ty, x);
    let least = number::format(ty).map_or(0.0, number::Format::least_normal);
    match case.words[0] {
        M::Finite => !value.is_nan() && value.abs() != f64::INFINITY,
        M::Infinite => value.abs() == f64::INFINITY,
        M::Number => !value.is_nan(),
        M::Notanumber => value.is_nan(),
        M::Normal => value == 0.0 || value.abs() >= least && value.abs() < f64::INFINITY,
        _ => value != 0.0 && value.abs() < least,
    }
}

fn flushed(case: &Case, ty: Type, x: u128) -> u128 {
    if case.has(M::Ftz) && ty != Type::F64 {
        number::flush(ty, x)
    } else {
        x
    }
}

/// The comparison alone.
fn holds(case: &Case, ty: Type, a: u128, b: u128) -> bool {
    let order = if number::format(ty).is_some() {
        let value = |x: u128| number::value(ty, flushed(case, ty, x));
        value(a).partial_cmp(&value(b))
    } else {
        Some(integer::value(ty, a).cmp(&integer::value(ty, b)))
    };
    use Ordering::*;
    match case.words[0] {
        M::Eq => order == Some(Equal),
        M::Ne => matches!(order, Some(Less | Greater)),
        M::Lt | M::Lo => order == Some(Less),
        M::Le | M::Ls => matches!(order, Some(Less | Equal)),
        M::Gt | M::Hi => order == Some(Greater),
        M::Ge | M::Hs => matches!(order, Some(Greater | Equal)),
        M::Equ => order.is_none_or(|o| o == Equal),
        M::Neu => order != Some(Equal),
        M::Ltu => order.is_none_or(|o| o == Less),
        M::Leu => order.is_none_or(|o| o != Greater),
        M::Gtu => order.is_none_or(|o| o == Greater),
        M::Geu => order.is_none_or(|o| o != Less),
        M::Num => order.is_some(),
        M::Nan => order.is_none(),
        word => panic!("no comparison: {word:?}"),
    }
}

/// With the third predicate, if there is one.
fn combined(case: &Case, holds: bool, c: Option<&u128>) -> bool {
    let c = c.is_some_and(|&c| c == 1);
    if case.has(M::And) {
        holds && c
    } else if case.has(M::Or) {
        holds || c
    } else if case.has(M::Xor) {
        holds != c
    } else {
        holds
    }
}

fn setp(case: &Case, x: &[u128]) -> Vec<Expect> {
    let ty = case.types[0];
    let results = match element(ty) {
        Some(half) => {
            [0, 16].map(|shift| holds(case, half, low(x[0] >> shift, 16), low(x[1] >> shift, 16)))
        }
        None => {
            let holds = holds(case, ty, x[0], x[1]);
            [holds, !holds]
        }
    };
    let results = results.iter().take(case.writes.len());
    results
        .map(|&holds| Expect::Bits(combined(case, holds, x.get(2)).into()))
        .collect()
}

fn set(case: &Case, x: &[u128]) -> u128 {
    let (to, ty) = (case.types[0], case.types[1]);
    let one = |to: Type| match to {
        Type::F32 => 0x3f80_0000,
        Type::F16 => 0x3c00,
        Type::Bf16 => 0x3f80,
        to => low(u128::MAX, to.size() as u32 * 8),
    };
    let Some(half) = element(ty) else {
        return if combined(case, holds(case, ty, x[0], x[1]), x.get(2)) {
            one(to)
        } else {
            0
        };
    };
    let yes = element(to).map_or(0xffff, one);
    let part = |shift: u32| {
        let holds = holds(case, half, low(x[0] >> shift, 16), low(x[1] >> shift, 16));
        if combined(case, holds, x.get(2)) {
            yes << shift
        } else {
            0
        }
    };
    part(0) | part(16)
}
