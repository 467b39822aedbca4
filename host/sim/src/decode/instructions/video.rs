//! Video instructions. Types, selectors and second operations are converted to a [`Video`].
//!
//! PTX ISA 9.7.18. The table has already checked the operands and their selectors.

use crate::decode::builder::{Builder, Operands};
use crate::decode::problem::{Result, invalid, unsupported};
use crate::machine::compute::video as run;
use crate::machine::program::Value;
use crate::ptx::ast::{Class, Instruction, Modifier as M, Opcode as O, Operand, Selector};
use crate::semantics::video::{
    Amount, Comparison, Mad, Negated, Primary, RegisterPart, Scalar, SecondaryOp, Simd, Video,
};

pub(super) fn video<'a>(b: &mut Builder<'a, '_>, i: &Instruction) -> Result<()> {
    let (to, left, right, third) = match b.body.operands(i) {
        [to, left, right] => (to, left, right, None),
        [to, left, right, third] => (to, left, right, Some(third)),
        _ => return invalid("a video instruction takes a destination and two or three sources"),
    };
    let what = match (elements(i.opcode), i.opcode) {
        (Some(halves), _) => Video::Simd(simd(i, halves, [to, left, right])?),
        (None, O::Vmad) => Video::Mad(mad(i, [left, right], third)),
        (None, _) => Video::Scalar(scalar(i, [to, left, right])?),
    };
    let (d, left) = (
        b.destination(&whole(to), 4)?,
        b.source(&whole(left), 4, None)?,
    );
    let right = b.source(&whole(right), 4, None)?;
    let third = match third {
        Some(third) => b.source(&whole(third), 4, None)?,
        None => b.constant(Value::Bits(0), 4)?,
    };
    let aux = b.code.videos.push(what);
    b.emit(
        run::video,
        Operands::to(d).a(left).b(right).c(third).aux(aux),
    );
    Ok(())
}

/// Returns whether a SIMD instruction works on halves and not on bytes. Returns `None` for
/// a scalar instruction.
fn elements(opcode: O) -> Option<bool> {
    match opcode {
        O::Vadd2 | O::Vsub2 | O::Vavrg2 | O::Vabsdiff2 | O::Vmin2 | O::Vmax2 | O::Vset2 => {
            Some(true)
        }
        O::Vadd4 | O::Vsub4 | O::Vavrg4 | O::Vabsdiff4 | O::Vmin4 | O::Vmax4 | O::Vset4 => {
            Some(false)
        }
        _ => None,
    }
}

/// Returns the register of which an operand is a part.
fn whole<'a>(operand: &Operand<'a>) -> Operand<'a> {
    match *operand {
        Operand::Part(id, _) | Operand::Minus(id, _) => Operand::Register(id),
        operand => operand,
    }
}

fn selector(operand: &Operand<'_>) -> Option<Selector> {
    match *operand {
        Operand::Part(_, selector) => Some(selector),
        Operand::Minus(_, selector) => selector,
        _ => None,
    }
}

fn part(operand: &Operand<'_>) -> RegisterPart {
    match selector(operand) {
        None => RegisterPart::Word,
        Some(selector) => {
            let index = selector.elements().first().copied().unwrap_or(0);
            match selector.halves() {
                true => RegisterPart::Half(index),
                false => RegisterPart::Byte(index),
            }
        }
    }
}

/// Returns whether the types of d, a and b are signed. `vset` has only the latter two types, and
/// its result is unsigned.
fn signed(i: &Instruction) -> [bool; 3] {
    let mut types = i.modifiers.types().map(|ty| ty.class() == Class::Signed);
    let mut next = || types.next().unwrap_or(false);
    match i.opcode {
        O::Vset | O::Vset2 | O::Vset4 => [false, next(), next()],
        _ => [next(), next(), next()],
    }
}

fn primary(i: &Instruction) -> Result<Primary> {
    let amount = match i.modifiers.has(M::Wrap) {
        true => Amount::Wrap,
        false => Amount::Clamp,
    };
    let comparison = i.modifiers.iter().find_map(|word| {
        Some(match word {
            M::Eq => Comparison::Equal,
            M::Ne => Comparison::NotEqual,
            M::Lt => Comparison::Less,
            M::Le => Comparison::LessOrEqual,
            M::Gt => Comparison::Greater,
            M::Ge => Comparison::GreaterOrEqual,
            _ => return None,
        })
    });
    Ok(match (i.opcode, comparison) {
        (O::Vadd | O::Vadd2 | O::Vadd4, _) => Primary::Add,
        (O::Vsub | O::Vsub2 | O::Vsub4, _) => Primary::Sub,
        (O::Vabsdiff | O::Vabsdiff2 | O::Vabsdiff4, _) => Primary::AbsDiff,
        (O::Vmin | O::Vmin2 | O::Vmin4, _) => Primary::Min,
        (O::Vmax | O::Vmax2 | O::Vmax4, _) => Primary::Max,
        (O::Vavrg2 | O::Vavrg4, _) => Primary::Average,
        (O::Vshl, _) => Primary::ShiftLeft(amount),
        (O::Vshr, _) => Primary::ShiftRight(amount),
        (O::Vset | O::Vset2 | O::Vset4, Some(comparison)) => Primary::Set(comparison),
        _ => return unsupported(),
    })
}

fn scalar(i: &Instruction, operands: [&Operand<'_>; 3]) -> Result<Scalar> {
    let has = |word| i.modifiers.has(word);
    Ok(Scalar {
        primary: primary(i)?,
        signed: signed(i),
        parts: operands.map(part),
        saturate: has(M::Sat),
        then: match () {
            () if has(M::Add) => SecondaryOp::Add,
            () if has(M::Min) => SecondaryOp::Min,
            () if has(M::Max) => SecondaryOp::Max,
            () => SecondaryOp::Merge,
        },
    })
}

fn mad(i: &Instruction, factors: [&Operand<'_>; 2], addend: Option<&Operand<'_>>) -> Mad {
    let has = |word| i.modifiers.has(word);
    let minus = |operand: &Operand<'_>| matches!(operand, Operand::Minus(..));
    let [_, left, right] = signed(i);
    Mad {
        signed: [left, right],
        parts: factors.map(part),
        // If both factors are negated, the product does not change.
        negated: match () {
            () if minus(factors[0]) != minus(factors[1]) => Negated::Product,
            () if addend.is_some_and(minus) => Negated::Addend,
            () => Negated::Nothing,
        },
        plus_one: has(M::Po),
        scale: match () {
            () if has(M::Shr7) => 7,
            () if has(M::Shr15) => 15,
            () => 0,
        },
        saturate: has(M::Sat),
    }
}

fn simd(i: &Instruction, halves: bool, [to, left, right]: [&Operand<'_>; 3]) -> Result<Simd> {
    let count = if halves { 2 } else { 4 };
    // Without a selector, the first operand's elements are those of the lower register, and the
    // second operand's those of the upper.
    let selected = |operand: &Operand<'_>, first: u8| {
        let mut of = [0, 1, 2, 3].map(|index| first + index);
        if let Some(selector) = selector(operand) {
            of.iter_mut()
                .zip(selector.elements())
                .for_each(|(of, &element)| *of = element);
        }
        of
    };
    Ok(Simd {
        primary: primary(i)?,
        halves,
        signed: signed(i),
        selected: [selected(left, 0), selected(right, count)],
        mask: match selector(to) {
            None => (1 << count) - 1,
            Some(mask) => mask
                .elements()
                .iter()
                .fold(0, |mask, element| mask | 1 << element),
        },
        saturate: i.modifiers.has(M::Sat),
        accumulate: i.modifiers.has(M::Add),
    })
}
