//! Divides in 32 bits where the dividend has no more.
//!
//! A GPU divides by a routine: some 20 instructions for 32 bits, and a call with five times as many
//! for 64. Indices are `usize` in Rust, and `i / (rows * columns)` has an `i` of 32 bits and a
//! divisor that may have more. LLVM then compares both at run time and keeps the call. But if the
//! divisor has more bits than the dividend, the quotient is 0 and the remainder the dividend. So
//! one division in 32 bits and a selection are enough.
//!
//! Source: CUDA C++ Programming Guide, "Arithmetic Instructions: Integer Arithmetic".

use inkwell::IntPredicate;
use inkwell::builder::{Builder, BuilderError};
use inkwell::llvm_sys::core::{LLVMBuildFreeze, LLVMGetNUW};
use inkwell::module::Module;
use inkwell::values::{
    AsValueRef, BasicValue, BasicValueEnum, InstructionOpcode, InstructionValue, IntValue,
};

use crate::error::CodegenError;
use crate::llvm;
use crate::passes::Options;

/// The number of bits that the machine divides fast.
pub(super) const FAST: u32 = 32;
/// The number of operations that are looked through to find out how many bits a value has.
const DEPTH: u32 = 6;

/// Narrows the divisions of all functions. It must run after O3.
pub(crate) fn narrow(module: &Module<'_>, options: &Options) -> Result<(), CodegenError> {
    use InstructionOpcode::{Freeze, UDiv, URem};
    let builder = module.get_context().create_builder();
    let instructions: Vec<_> = module
        .get_functions()
        .flat_map(llvm::instructions)
        .filter(|at| matches!(at.get_opcode(), Freeze | UDiv | URem))
        .collect();
    // The result of one may be the dividend of a later one.
    for at in instructions {
        builder.position_before(&at);
        let narrow = match at.get_opcode() {
            Freeze => frozen(&builder, at),
            _ => narrowed(&builder, at),
        };
        let narrow = narrow.map_err(|error| options.failed("narrowing of divisions", error))?;
        if let Some(value) = narrow {
            llvm::replace_by_value(at, value.into());
        }
    }
    Ok(())
}

/// Freezes a number in fewer bits, if it has no more. What a remainder is left of is frozen, and a
/// frozen number of 64 bits may be any.
fn frozen<'ctx>(
    builder: &Builder<'ctx>,
    freeze: InstructionValue<'ctx>,
) -> Result<Option<IntValue<'ctx>>, BuilderError> {
    let Some(number) = operand(freeze, 0) else {
        return Ok(None);
    };
    let wide = number.get_type();
    if wide.get_bit_width() != 2 * FAST || !is_short(number, DEPTH) {
        return Ok(None);
    }
    let low = builder.build_int_truncate(number, wide.get_context().i32_type(), "")?;
    // SAFETY: the builder is at a place of a block, and the frozen number has the number's type.
    let low = unsafe {
        IntValue::new(LLVMBuildFreeze(
            builder.as_mut_ptr(),
            low.as_value_ref(),
            c"".as_ptr(),
        ))
    };
    builder.build_int_z_extend(low, wide, "").map(Some)
}

/// Writes the division in fewer bits, if its dividend has no more.
fn narrowed<'ctx>(
    builder: &Builder<'ctx>,
    division: InstructionValue<'ctx>,
) -> Result<Option<IntValue<'ctx>>, BuilderError> {
    let (Some(dividend), Some(divisor)) = (operand(division, 0), operand(division, 1)) else {
        return Ok(None);
    };
    let wide = dividend.get_type();
    // A division by a constant becomes a multiplication.
    if wide.get_bit_width() != 2 * FAST || divisor.is_const() || !is_short(dividend, DEPTH) {
        return Ok(None);
    }
    let fast = wide.get_context().i32_type();
    let low = builder.build_int_truncate(dividend, fast, "")?;
    let is_remainder = division.get_opcode() == InstructionOpcode::URem;
    let divide = |divisor| match is_remainder {
        true => builder.build_int_unsigned_rem(low, divisor, ""),
        false => builder.build_int_unsigned_div(low, divisor, ""),
    };
    let low_divisor = builder.build_int_truncate(divisor, fast, "")?;
    let result = if is_short(divisor, DEPTH) {
        divide(low_divisor)?
    } else {
        let most = wide.const_int(u32::MAX.into(), false);
        let is_larger = builder.build_int_compare(IntPredicate::UGT, divisor, most, "")?;
        // Whatever is divided by then, it must not be 0.
        let one = fast.const_int(1, false);
        let safe = builder.build_select(is_larger, one, low_divisor, "")?;
        let quotient = divide(safe.into_int_value())?;
        let otherwise = if is_remainder { low } else { fast.const_zero() };
        builder
            .build_select(is_larger, otherwise, quotient, "")?
            .into_int_value()
    };
    for remainder in remainders(division) {
        // It is what a division by more than the dividend leaves, too: then, the quotient is 0.
        builder.position_before(&remainder);
        let product = builder.build_int_mul(result, low_divisor, "")?;
        let rest = builder.build_int_sub(low, product, "")?;
        let rest = builder.build_int_z_extend(rest, wide, "")?;
        llvm::replace_by_value(remainder, rest.into());
    }
    builder.position_before(&division);
    builder.build_int_z_extend(result, wide, "").map(Some)
}

/// Returns the remainders that are computed from a quotient: `a - (a / b) * b`.
fn remainders<'ctx>(division: InstructionValue<'ctx>) -> Vec<InstructionValue<'ctx>> {
    // SAFETY: the users of an instruction are instructions.
    let users = |of: InstructionValue<'ctx>| unsafe {
        let users = llvm::users(of.as_value_ref()).into_iter();
        users.map(|at| InstructionValue::new(at))
    };
    let has = |at: InstructionValue<'_>, index, value: InstructionValue<'_>| {
        operand(at, index).is_some_and(|it| it.as_value_ref() == value.as_value_ref())
    };
    let (dividend, divisor) = (operand(division, 0), operand(division, 1));
    let products = users(division).filter(|at| {
        at.get_opcode() == InstructionOpcode::Mul
            && [0, 1]
                .iter()
                .any(|index| has(*at, *index, division) && operand(*at, 1 - *index) == divisor)
    });
    products
        .flat_map(|product| users(product).map(move |at| (at, product)))
        .filter(|(at, product)| {
            at.get_opcode() == InstructionOpcode::Sub
                && operand(*at, 0) == dividend
                && has(*at, 1, *product)
        })
        .map(|(at, _)| at)
        .collect()
}

pub(super) fn operand<'ctx>(at: InstructionValue<'ctx>, index: u32) -> Option<IntValue<'ctx>> {
    match at.get_operand(index)?.value()? {
        BasicValueEnum::IntValue(value) => Some(value),
        _ => None,
    }
}

/// Returns whether a value is known to have no more than [`FAST`] bits.
pub(super) fn is_short(value: IntValue<'_>, depth: u32) -> bool {
    use InstructionOpcode::{And, LShr, Or, Select, Sub, UDiv, URem, ZExt};
    if let Some(number) = value.get_zero_extended_constant() {
        return number <= u32::MAX.into();
    }
    let Some(at) = value.as_instruction_value().filter(|_| depth > 0) else {
        return false;
    };
    let short = |index| operand(at, index).is_some_and(|it| is_short(it, depth - 1));
    match at.get_opcode() {
        ZExt => operand(at, 0).is_some_and(|it| it.get_type().get_bit_width() <= FAST),
        And | URem => short(0) || short(1),
        Or => short(0) && short(1),
        UDiv => short(0),
        LShr => {
            let by = operand(at, 1).and_then(IntValue::get_zero_extended_constant);
            by.is_some_and(|by| by >= FAST.into()) || short(0)
        }
        // SAFETY: the instruction is a subtraction, which has the flag.
        Sub => short(0) && unsafe { LLVMGetNUW(at.as_value_ref()) } != 0,
        Select => (short(1) || is_distance(at)) && short(2),
        _ => false,
    }
}

/// Returns whether a selection's first value is `b - a` where its condition is `a < b`, and `b` is
/// short: the length of a range.
fn is_distance(selection: InstructionValue<'_>) -> bool {
    use IntPredicate::{UGE, UGT, ULE, ULT};
    let difference = operand(selection, 1).and_then(|it| it.as_instruction_value());
    let condition = operand(selection, 0).and_then(|it| it.as_instruction_value());
    let (Some(difference), Some(condition)) = (difference, condition) else {
        return false;
    };
    if difference.get_opcode() != InstructionOpcode::Sub {
        return false;
    }
    let (larger, smaller) = match condition.get_icmp_predicate() {
        Some(ULT | ULE) => (1, 0),
        Some(UGT | UGE) => (0, 1),
        _ => return false,
    };
    let is_same = |of_difference, of_condition| {
        let (Some(wide), Some(compared)) = (
            operand(difference, of_difference),
            operand(condition, of_condition),
        ) else {
            return false;
        };
        let is_low_half = compared.get_type().get_bit_width() == FAST
            && low_half(wide).is_some_and(|half| half == source(compared));
        wide == compared || is_low_half
    };
    is_same(0, larger)
        && is_same(1, smaller)
        && operand(difference, 0).is_some_and(|it| is_short(it, 1))
}

/// Returns what a wide value has the low half of, if its high half is 0.
pub(super) fn low_half(wide: IntValue<'_>) -> Option<IntValue<'_>> {
    let at = wide.as_instruction_value()?;
    let of = operand(at, 0)?;
    let is_low_half = match at.get_opcode() {
        InstructionOpcode::ZExt => of.get_type().get_bit_width() == FAST,
        InstructionOpcode::And => {
            let mask = operand(at, 1)?.get_zero_extended_constant();
            mask == Some(u32::MAX.into())
        }
        _ => false,
    };
    is_low_half.then(|| source(of))
}

/// Returns the value whose low half a short one is: the operand of a truncation, or the value.
pub(super) fn source(short: IntValue<'_>) -> IntValue<'_> {
    let truncation = short.as_instruction_value();
    let truncation = truncation.filter(|it| it.get_opcode() == InstructionOpcode::Trunc);
    truncation.and_then(|it| operand(it, 0)).unwrap_or(short)
}
