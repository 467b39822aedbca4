//! Logic, shifts and moves, a bit or a byte at a time: PTX ISA 9.7.8, 9.7.9 (`mov`, `prmt`).

use lanewise_sim::ptx::ast::{Class, Modifier as M, Opcode, Type};

use super::Expect;
use crate::kernel::{Case, low};

pub fn expect(case: &Case, x: &[u128]) -> Vec<Expect> {
    let bits = case.writes[0].bits();
    let each = |f: &dyn Fn(u32) -> bool| {
        vec![Expect::Bits(
            (0..bits).filter(|&i| f(i)).map(|i| 1 << i).sum(),
        )]
    };
    let bit = |x: u128, i: u32| x >> i & 1 == 1;
    match case.opcode {
        Opcode::And => each(&|i| bit(x[0], i) && bit(x[1], i)),
        Opcode::Or => each(&|i| bit(x[0], i) || bit(x[1], i)),
        Opcode::Xor => each(&|i| bit(x[0], i) != bit(x[1], i)),
        Opcode::Not => each(&|i| !bit(x[0], i)),
        Opcode::Cnot => vec![Expect::Bits(u128::from(x[0] == 0))],
        Opcode::Lop3 => lop3(case, x),
        Opcode::Shl => each(&|i| u128::from(i) >= x[1] && bit(x[0], i - x[1] as u32)),
        Opcode::Shr => {
            let fill = case.types[0].class() == Class::Signed && bit(x[0], bits - 1);
            each(&|i| match u128::from(i) + x[1] {
                from if from < u128::from(bits) => bit(x[0], from as u32),
                _ => fill,
            })
        }
        Opcode::Shf => {
            let n = if case.has(M::Wrap) {
                x[2] % 32
            } else {
                x[2].min(32)
            } as i64;
            let both = x[1] << 32 | x[0];
            let first = if case.has(M::L) { 32 - n } else { n };
            each(&|i| {
                (0..64).contains(&(first + i64::from(i)))
                    && bit(both, (first + i64::from(i)) as u32)
            })
        }
        Opcode::Prmt => vec![Expect::Bits(prmt(case, x))],
        _ => moved(case, x),
    }
}

fn lop3(case: &Case, x: &[u128]) -> Vec<Expect> {
    let table = |i: u32| {
        let index = (x[0] >> i & 1) * 4 + (x[1] >> i & 1) * 2 + (x[2] >> i & 1);
        case.constant >> index & 1 == 1
    };
    let d = (0..32).filter(|&i| table(i)).map(|i| 1u128 << i).sum();
    let mut results = vec![Expect::Bits(d)];
    if let Some(&q) = x.get(3) {
        let p = if case.has(M::And) {
            d != 0 && q == 1
        } else {
            d != 0 || q == 1
        };
        results.push(Expect::Bits(p.into()));
    }
    results
}

/// Bytes 0 to 7 are those of `b:a`. The fourth bit of a selector selects the byte's sign.
fn prmt(case: &Case, x: &[u128]) -> u128 {
    let both = x[1] << 32 | x[0];
    let c = x[2] & 3;
    let selector = |i: u128| match case.words.get(1) {
        None => x[2] >> (4 * i) & 15,
        Some(M::F4e) => c + i,
        Some(M::B4e) => (8 + c - i) % 8,
        Some(M::Rc8) => c,
        Some(M::Ecl) => i.max(c),
        Some(M::Ecr) => i.min(c),
        Some(_) => (c & 1) * 2 + i % 2,
    };
    let byte = |i: u128| {
        let selector = selector(i);
        let byte = both >> (8 * (selector & 7)) & 0xff;
        match selector & 8 {
            0 => byte,
            _ => {
                if byte & 0x80 != 0 {
                    0xff
                } else {
                    0
                }
            }
        }
    };
    (0..4).map(|i| byte(i) << (8 * i)).sum()
}

/// One value, or its parts side by side.
fn moved(case: &Case, x: &[u128]) -> Vec<Expect> {
    // A vector to a vector of the same shape: each element by itself, of which two may
    // have 128 bits.
    if x.len() == case.writes.len() {
        let elements = x.iter().zip(&case.writes);
        return elements
            .map(|(x, register)| Expect::Bits(low(*x, register.bits())))
            .collect();
    }
    let whole = x
        .iter()
        .zip(&case.reads)
        .rev()
        .fold(0, |whole, (x, register)| {
            let bits = if register.ty == Type::Pred {
                1
            } else {
                register.bits()
            };
            if bits == 128 { *x } else { whole << bits | x }
        });
    let mut shift = 0;
    let parts = case.writes.iter().map(|register| {
        let part = low(whole >> shift, register.bits());
        shift += register.bits();
        Expect::Bits(part)
    });
    parts.collect()
}
