//! The end of a range with a step, found from the number of its elements.
//!
//! `(a..b).step_by(s)` counts its elements before it begins, `(b - a) / s` rounded up, and the loop
//! over it ends when they have been counted: neither its condition nor LLVM say that all of them
//! are below `b`. They are, since the last one is `a + (count - 1) * s`.

use inkwell::IntPredicate::NE;
use inkwell::llvm_sys::prelude::LLVMValueRef;
use inkwell::values::InstructionOpcode::{Add, And, ICmp, LShr, Mul, Sub, Trunc, UDiv, URem};
use inkwell::values::{AsValueRef, BasicValue, InstructionOpcode, InstructionValue, IntValue};

use crate::passes::code::divisions::{self, operand, plain};

/// Returns the end of the range from `start` in steps of `step` that has `count` elements.
///
/// # Safety
/// All values are integers of a live module.
pub(super) unsafe fn end(
    count: LLVMValueRef,
    start: LLVMValueRef,
    step: LLVMValueRef,
) -> Option<LLVMValueRef> {
    // SAFETY: the caller guarantees it.
    let [count, start, step] = [count, start, step].map(|it| unsafe { IntValue::new(it) });
    let [begin, end] = divisions::range(plain(rounded_up(plain(count), step)?))?;
    let same_width = end.get_type() == start.get_type();
    let end = if same_width {
        end
    } else {
        wide(end).filter(|it| it.get_type() == start.get_type())?
    };
    (plain(begin) == plain(start)).then(|| end.as_value_ref())
}

/// The number that was divided by `step` and rounded up.
fn rounded_up<'ctx>(count: IntValue<'ctx>, step: IntValue<'ctx>) -> Option<IntValue<'ctx>> {
    let at = count.as_instruction_value()?;
    if at.get_opcode() == LShr {
        // The step less one was added before.
        let sum = of(plain(operand(at, 0)?), Add)?;
        let (number, added) = (operand(sum, 0)?, constant(operand(sum, 1)?)?);
        return (divides(at, step) && added + 1 == constant(step)?).then(|| plain(number));
    }
    let sum = of(count, Add)?;
    let parts = [operand(sum, 0)?, operand(sum, 1)?].map(plain);
    [(0, 1), (1, 0)].into_iter().find_map(|(quotient, one)| {
        let number = quotient_of(parts[quotient], step)?;
        let rest = of(parts[one], ICmp).filter(|it| it.get_icmp_predicate() == Some(NE))?;
        let is_rest = constant(operand(rest, 1)?) == Some(0)
            && rest_of(plain(operand(rest, 0)?), step) == Some(number);
        is_rest.then_some(number)
    })
}

/// The number that a quotient by `step` is of.
fn quotient_of<'ctx>(quotient: IntValue<'ctx>, step: IntValue<'ctx>) -> Option<IntValue<'ctx>> {
    let at = quotient.as_instruction_value()?;
    let is_quotient = match at.get_opcode() {
        UDiv => plain(operand(at, 1)?) == plain(step),
        LShr => divides(at, step),
        _ => false,
    };
    is_quotient.then(|| operand(at, 0).map(plain))?
}

/// The number that a remainder by `step` is of.
fn rest_of<'ctx>(rest: IntValue<'ctx>, step: IntValue<'ctx>) -> Option<IntValue<'ctx>> {
    let at = rest.as_instruction_value()?;
    let number = plain(operand(at, 0)?);
    let other = plain(operand(at, 1)?);
    let is_rest = match at.get_opcode() {
        URem => other == plain(step),
        And => constant(other)? + 1 == constant(step)? && constant(step)?.is_power_of_two(),
        Sub => {
            let product = of(other, Mul)?;
            let factors = [operand(product, 0)?, operand(product, 1)?].map(plain);
            [(0, 1), (1, 0)].iter().any(|(quotient, by)| {
                factors[*by] == plain(step) && quotient_of(factors[*quotient], step) == Some(number)
            })
        }
        _ => false,
    };
    is_rest.then_some(number)
}

/// Returns whether a shift divides by `step`.
fn divides(shift: InstructionValue<'_>, step: IntValue<'_>) -> bool {
    let by = operand(shift, 1).and_then(constant);
    let power = by.and_then(|by| 1u64.checked_shl(by.try_into().ok()?));
    power.is_some() && power == constant(step)
}

/// The number that a short one has the low half of.
fn wide(short: IntValue<'_>) -> Option<IntValue<'_>> {
    of(short, Trunc).and_then(|at| operand(at, 0))
}

fn of(value: IntValue<'_>, opcode: InstructionOpcode) -> Option<InstructionValue<'_>> {
    value
        .as_instruction_value()
        .filter(|it| it.get_opcode() == opcode)
}

fn constant(value: IntValue<'_>) -> Option<u64> {
    value.get_zero_extended_constant()
}
