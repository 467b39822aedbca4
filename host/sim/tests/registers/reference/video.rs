//! Video instructions from their text: PTX ISA 9.7.18, element by element on wide integers,
//! selectors as characters.

use lanewise_sim::ptx::ast::Type;

use super::integer::{range, value};
use crate::kernel::{Case, low};

/// The text after a register's dot, and whether `-` is before it.
fn operand(text: &str) -> (bool, &str) {
    let selector = text.split_once('.').map_or("", |(_, selector)| selector);
    (text.starts_with('-'), selector)
}

/// The type of 8, 16 or 32 bits with the sign of `ty`.
fn sized(ty: &str, bits: u32) -> Type {
    match (ty, bits) {
        ("s32", 8) => Type::S8,
        ("s32", 16) => Type::S16,
        ("s32", _) => Type::S32,
        (_, 8) => Type::U8,
        (_, 16) => Type::U16,
        _ => Type::U32,
    }
}

/// Returns the place and the bits of the element that one digit of a selector names.
fn place(selector: &str) -> (u32, u32) {
    let bits = match selector.chars().next() {
        Some('b') => 8,
        Some('h') => 16,
        _ => return (0, 32),
    };
    (digit(selector, 0) * bits, bits)
}

/// A selector's digit, counted from its end.
fn digit(selector: &str, index: usize) -> u32 {
    let digit = selector.chars().rev().nth(index);
    digit.and_then(|c| c.to_digit(10)).expect("a digit")
}

/// The operation on two values.
fn operate(name: &str, words: &[&str], a: i128, b: i128) -> i128 {
    let clamp = words.contains(&"clamp");
    let amount = if clamp { b.min(32) } else { b % 32 };
    let ask = |word: &str, holds: bool| words.contains(&word) && holds;
    match name {
        "vadd" => a + b,
        "vsub" => a - b,
        "vabsdiff" => (a - b).max(b - a),
        "vmin" => [a, b].into_iter().min().expect("two"),
        "vmax" => [a, b].into_iter().max().expect("two"),
        // Half of it, to the nearest; ties away from zero, but of negative ones down: both are the
        // floor of a sum.
        "vavrg" => (a + b + i128::from(a + b >= 0)).div_euclid(2),
        // Of 34 bits.
        "vshl" => {
            let shifted = (a << amount).rem_euclid(1 << 34);
            if shifted >= 1 << 33 {
                shifted - (1 << 34)
            } else {
                shifted
            }
        }
        "vshr" => a.div_euclid(1 << amount),
        "vset" => i128::from(
            ask("eq", a == b)
                || ask("ne", a != b)
                || ask("lt", a < b)
                || ask("le", a <= b)
                || ask("gt", a > b)
                || ask("ge", a >= b),
        ),
        other => panic!("{other}"),
    }
}

pub fn expect(case: &Case, x: &[u128]) -> u128 {
    let (instruction, operands) = case
        .text
        .trim_end_matches(';')
        .split_once(' ')
        .expect("operands");
    let words: Vec<&str> = instruction.split('.').collect();
    let operands: Vec<(bool, &str)> = operands.split(", ").map(operand).collect();
    let name = words[0].trim_end_matches(|c: char| c.is_ascii_digit());
    let types: Vec<&str> = words
        .iter()
        .copied()
        .filter(|w| *w == "u32" || *w == "s32")
        .collect();
    // Of `vset`, which has no sign, the types are those of the sources.
    let (to, left, right) = match types[..] {
        [left, right] => ("u32", left, right),
        [to, left, right] => (to, left, right),
        _ => panic!("{instruction}"),
    };
    let third = x.get(2).copied().unwrap_or(0);
    match words[0].strip_prefix(name) {
        Some("2") => elements(
            16,
            name,
            &words,
            (to, left, right),
            &operands,
            [x[0], x[1], third],
        ),
        Some("4") => elements(
            8,
            name,
            &words,
            (to, left, right),
            &operands,
            [x[0], x[1], third],
        ),
        _ if name == "vmad" => mad(&words, (left, right), &operands, [x[0], x[1], third]),
        _ => {
            let part = |ty: &str, selector: &str, x: u128| {
                let (at, bits) = place(selector);
                value(sized(ty, bits), x >> at)
            };
            let (a, b) = (
                part(left, operands[1].1, x[0]),
                part(right, operands[2].1, x[1]),
            );
            let (at, bits) = place(operands[0].1);
            let mut result = operate(name, &words, a, b);
            if words.contains(&"sat") {
                let (least, most) = range(sized(to, bits));
                result = result.clamp(least, most);
            }
            let c = value(sized(to, 32), third);
            let result = match words.last() {
                Some(&"add") => result + c,
                Some(&"min") => result.min(c),
                Some(&"max") => result.max(c),
                _ if bits < 32 => {
                    let hole = low(u128::MAX, bits) << at;
                    return third & !hole | low(result as u128, bits) << at;
                }
                _ => result,
            };
            low(result as u128, 32)
        }
    }
}

/// Of 8 or 16 bits, as many as a register has.
fn elements(
    bits: u32,
    name: &str,
    words: &[&str],
    (to, left, right): (&str, &str, &str),
    operands: &[(bool, &str)],
    [a, b, c]: [u128; 3],
) -> u128 {
    let count = 32 / bits;
    let both = b << 32 | a;
    let element = |ty: &str, selector: &str, index: u32, default: u32| {
        let which = if selector.is_empty() {
            default + index
        } else {
            digit(selector, index as usize)
        };
        value(sized(ty, bits), both >> (which * bits))
    };
    let mask = operands[0].1;
    let written = |index: u32| mask.is_empty() || mask[1..].contains(&index.to_string());
    let (mut sum, mut merged) = (value(Type::U32, c), 0);
    for index in 0..count {
        let mut result = operate(
            name,
            words,
            element(left, operands[1].1, index, 0),
            element(right, operands[2].1, index, count),
        );
        if words.contains(&"sat") {
            let (least, most) = range(sized(to, bits));
            result = result.clamp(least, most);
        }
        let kept = low(c >> (index * bits), bits);
        merged |= if written(index) {
            low(result as u128, bits)
        } else {
            kept
        } << (index * bits);
        sum += if written(index) { result } else { 0 };
    }
    if words.contains(&"add") {
        low(sum as u128, 32)
    } else {
        merged
    }
}

fn mad(
    words: &[&str],
    (left, right): (&str, &str),
    operands: &[(bool, &str)],
    x: [u128; 3],
) -> u128 {
    let part = |ty: &str, selector: &str, x: u128| {
        let (at, bits) = place(selector);
        value(sized(ty, bits), x >> at)
    };
    let product = part(left, operands[1].1, x[0]) * part(right, operands[2].1, x[1]);
    let (less, minus) = (operands[1].0 != operands[2].0, operands[3].0);
    let signed = left == "s32" || right == "s32" || less || minus;
    let third = |bits| value(if signed { Type::S32 } else { Type::U32 }, bits);
    // -c is what the ISA makes of it: the complement with a sign, and one.
    let mut sum = match (less, minus) {
        (true, _) => third(x[2]) - product,
        (_, true) => product + third(low(!x[2], 32)) + 1,
        _ => product + third(x[2]),
    };
    if words.contains(&"po") {
        sum += 1;
    }
    if words.contains(&"shr7") {
        sum = sum.div_euclid(1 << 7);
    }
    if words.contains(&"shr15") {
        sum = sum.div_euclid(1 << 15);
    }
    if words.contains(&"sat") {
        let (least, most) = range(if signed { Type::S32 } else { Type::U32 });
        sum = sum.clamp(least, most);
    }
    low(sum as u128, 32)
}
