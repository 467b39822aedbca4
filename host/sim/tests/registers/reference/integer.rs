//! Integer arithmetic on `i128` and `u128`, bit fields one bit at a time: PTX ISA 9.7.1 and 9.7.2.

use lanewise_sim::ptx::ast::{Class, Modifier as M, Opcode, Type};

use super::element;
use crate::kernel::{Case, low};

/// Returns the value of the low bits of `x` as this type.
pub fn value(ty: Type, x: u128) -> i128 {
    let bits = ty.size() as u32 * 8;
    signed(low(x, bits), bits, ty.class() == Class::Signed)
}

fn signed(x: u128, bits: u32, signed: bool) -> i128 {
    if signed && x >> (bits - 1) & 1 == 1 {
        x as i128 - (1 << bits)
    } else {
        x as i128
    }
}

/// The smallest and the largest value of a type.
pub fn range(ty: Type) -> (i128, i128) {
    let bits = ty.size() as u32 * 8;
    match ty.class() {
        Class::Signed => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        _ => (0, (1 << bits) - 1),
    }
}

fn bit(x: u128, i: u32) -> bool {
    i < 128 && x >> i & 1 == 1
}

/// The number whose bit `i` is `f(i)`, of the bits below `bits`.
fn bits_of(bits: u32, f: impl Fn(u32) -> bool) -> u128 {
    (0..bits).filter(|&i| f(i)).map(|i| 1 << i).sum()
}

pub fn expect(case: &Case, x: &[u128]) -> Vec<u128> {
    let ty = case.types[0];
    if let Some(half) = element(ty) {
        let part = |shift: u32| {
            let x: Vec<u128> = x.iter().map(|x| low(x >> shift, 16)).collect();
            one(case, half, &x)[0]
        };
        return vec![part(16) << 16 | part(0)];
    }
    one(case, ty, x)
}

fn one(case: &Case, ty: Type, x: &[u128]) -> Vec<u128> {
    use Opcode::*;
    let bits = ty.size() as u32 * 8;
    let v: Vec<i128> = x.iter().map(|&x| value(ty, x)).collect();
    let wrap = |v: i128| low(v as u128, bits);
    let (least, most) = range(ty);
    let settle = |v: i128| {
        let v = if case.has(M::Sat) {
            v.clamp(least, most)
        } else {
            v
        };
        let v = if case.has(M::Relu) { v.max(0) } else { v };
        vec![wrap(v)]
    };
    match case.opcode {
        Add | Sub | Addc | Subc | Madc => carried(case, ty, x),
        Mad if case.has(M::Cc) => carried(case, ty, x),
        Mul | Mad => {
            let (product, width) = product(case, ty, x);
            let addend = if case.opcode == Mad { x[2] } else { 0 };
            if case.has(M::Sat) {
                return settle(signed(product, width, true) + v[2]);
            }
            vec![low(product.wrapping_add(addend), width)]
        }
        Mul24 | Mad24 => {
            let field = |x: u128| signed(low(x, 24), 24, ty.class() == Class::Signed);
            let product = field(x[0]) * field(x[1]);
            let half = if case.has(M::Hi) {
                low(product as u128, 48) >> 16
            } else {
                low(product as u128, 32)
            };
            let half = value(ty, half);
            settle(half + if case.opcode == Mad24 { v[2] } else { 0 })
        }
        Sad => settle(v[2] + (v[0] - v[1]).abs()),
        Div | Rem if v[1] == 0 => vec![low(u128::MAX, bits)],
        Div => settle(v[0] / v[1]),
        Rem => settle(v[0] % v[1]),
        Abs => settle(v[0].abs()),
        Neg => settle(-v[0]),
        Min => settle(v[0].min(v[1])),
        Max => settle(v[0].max(v[1])),
        Popc => vec![(0..bits).filter(|&i| bit(x[0], i)).count() as u128],
        Clz => vec![(0..bits).rev().take_while(|&i| !bit(x[0], i)).count() as u128],
        Brev => vec![bits_of(bits, |i| bit(x[0], bits - 1 - i))],
        Bfind => {
            let sign = v[0] < 0;
            let found = (0..bits).rev().find(|&i| bit(x[0], i) != sign);
            let found = found.map(|i| {
                if case.has(M::Shiftamt) {
                    bits - 1 - i
                } else {
                    i
                }
            });
            vec![found.map_or(0xffff_ffff, u128::from)]
        }
        Fns => vec![find_nth(x[0], low(x[1], 32), value(Type::S32, x[2]))],
        Bfe => {
            let (pos, len) = field(bits, x[1], x[2]);
            let top = (pos + len).saturating_sub(1).min(bits - 1);
            let fill = ty.class() == Class::Signed && len > 0 && bit(x[0], top);
            vec![bits_of(bits, |i| {
                if i < len && pos + i < bits {
                    bit(x[0], pos + i)
                } else {
                    fill
                }
            })]
        }
        Bfi => {
            let (pos, len) = field(bits, x[2], x[3]);
            vec![bits_of(bits, |i| {
                if i >= pos && i < pos + len {
                    bit(x[0], i - pos)
                } else {
                    bit(x[1], i)
                }
            })]
        }
        Szext => {
            let wide = case.has(M::Clamp) && x[1] >= 32;
            let n = if wide { 32 } else { x[1] as u32 % 32 };
            let fill = ty == Type::S32 && n > 0 && n < 32 && bit(x[0], n - 1);
            vec![bits_of(32, |i| if i < n { bit(x[0], i) } else { fill })]
        }
        Bmsk => {
            let modulo = |x: u128| if case.has(M::Wrap) { x % 32 } else { x };
            let (pos, width) = (modulo(x[0]), modulo(x[1]));
            vec![bits_of(32, |i| {
                u128::from(i) >= pos && u128::from(i) - pos < width
            })]
        }
        Dp4a => vec![dot(case, x, 8, 0)],
        Dp2a => vec![dot(case, x, 16, if case.has(M::Hi) { 2 } else { 0 })],
        opcode => panic!("no reference for {opcode:?}"),
    }
}

/// Position and length of a bit field: 8 bits of each count for 32-bit types, all of them for
/// 64-bit types (measured on an H200).
fn field(bits: u32, pos: u128, len: u128) -> (u32, u32) {
    let counted = |x: u128| {
        if bits == 32 {
            low(x, 8)
        } else {
            x.min(1 << 16)
        }
    };
    (counted(pos) as u32, counted(len) as u32)
}

/// Returns the bits of the product that the instruction keeps, and their number.
fn product(case: &Case, ty: Type, x: &[u128]) -> (u128, u32) {
    let bits = ty.size() as u32 * 8;
    let whole = match ty.class() {
        Class::Signed => (value(ty, x[0]) * value(ty, x[1])) as u128,
        _ => low(x[0], bits) * low(x[1], bits),
    };
    if case.has(M::Wide) {
        (low(whole, 2 * bits), 2 * bits)
    } else if case.has(M::Hi) {
        (low(whole >> bits, bits), bits)
    } else {
        (low(whole, bits), bits)
    }
}

/// Sums and differences, with a carry in and out where the instruction has one.
fn carried(case: &Case, ty: Type, x: &[u128]) -> Vec<u128> {
    use Opcode::*;
    let bits = ty.size() as u32 * 8;
    let carry = if case.carry_in() {
        x[x.len() - 1] as i128
    } else {
        0
    };
    let (a, b) = match case.opcode {
        Mad | Madc => (product(case, ty, x).0, x[2]),
        _ => (x[0], x[1]),
    };
    if case.has(M::Sat) {
        let (a, b) = (value(ty, a), value(ty, b));
        let (least, most) = range(ty);
        let sum = if case.opcode == Sub { a - b } else { a + b };
        return vec![low(sum.clamp(least, most) as u128, bits)];
    }
    let (a, b) = (low(a, bits) as i128, low(b, bits) as i128);
    let result = if matches!(case.opcode, Sub | Subc) {
        a - b - carry
    } else {
        a + b + carry
    };
    let mut results = vec![low(result as u128, bits)];
    if case.carry_out() {
        results.push(u128::from(result < 0 || result >> bits != 0));
    }
    results
}

/// `fns`, written like the ISA's loop.
fn find_nth(mask: u128, base: u128, offset: i128) -> u128 {
    let none = 0xffff_ffff;
    if offset == 0 {
        return if base < 32 && bit(mask, base as u32) {
            base
        } else {
            none
        };
    }
    let (mut pos, mut count) = (value(Type::S32, base), offset.abs() - 1);
    while (0..32).contains(&pos) {
        if bit(mask, pos as u32) {
            if count == 0 {
                return pos as u128;
            }
            count -= 1;
        }
        pos += offset.signum();
    }
    none
}

/// The sum of `c` and the products of the parts of `a`, of this many bits each, with bytes of `b`
/// from `first` on.
fn dot(case: &Case, x: &[u128], bits: u32, first: u32) -> u128 {
    let is_signed = |index: usize| case.types[index] == Type::S32;
    let part = |x: u128, bits: u32, i: u32, is: bool| signed(low(x >> (i * bits), bits), bits, is);
    let products = (0..32 / bits)
        .map(|i| part(x[0], bits, i, is_signed(0)) * part(x[1], 8, first + i, is_signed(1)));
    low((x[2] as i128 + products.sum::<i128>()) as u128, 32)
}
