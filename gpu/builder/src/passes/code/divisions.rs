//! Divides in 32 bits where the dividend has no more.
//!
//! A GPU divides by a routine: some 20 instructions for 32 bits, and a call with five times as many
//! for 64. Indices are `usize` in Rust, and `i / (rows * columns)` has an `i` of 32 bits and a
//! divisor that may have more. LLVM then compares both at run time and keeps the call. But if the
//! divisor has more bits than the dividend, the quotient is 0 and the remainder the dividend. So
//! one division in 32 bits and a selection are enough.
//!
//! The length of a range, such as those of loops with a step, has 32 bits too if its bounds do.
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
    use InstructionOpcode::{Call, Freeze, Select, UDiv, URem};
    let builder = module.get_context().create_builder();
    let instructions: Vec<_> = module
        .get_functions()
        .flat_map(llvm::instructions)
        .filter(|at| matches!(at.get_opcode(), Call | Freeze | Select | UDiv | URem))
        .collect();
    // The result of one may be the dividend of a later one.
    for at in instructions {
        builder.position_before(&at);
        let narrow = match at.get_opcode() {
            Freeze => frozen(&builder, at),
            Select | Call => length(&builder, at),
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

/// Computes the length of a range in fewer bits, if its bounds have no more.
fn length<'ctx>(
    builder: &Builder<'ctx>,
    at: InstructionValue<'ctx>,
) -> Result<Option<IntValue<'ctx>>, BuilderError> {
    let Some(wide) = whole_number(at).filter(|it| it.get_type().get_bit_width() == 2 * FAST) else {
        return Ok(None);
    };
    let Some([start, end]) = range(wide).filter(|all| all.iter().all(|it| is_short(*it, DEPTH)))
    else {
        return Ok(None);
    };
    let fast = wide.get_type().get_context().i32_type();
    let start = builder.build_int_truncate(start, fast, "")?;
    let end = builder.build_int_truncate(end, fast, "")?;
    let is_ahead = builder.build_int_compare(IntPredicate::ULT, start, end, "")?;
    let distance = builder.build_int_sub(end, start, "")?;
    let length = builder.build_select(is_ahead, distance, fast.const_zero(), "")?;
    builder
        .build_int_z_extend(length.into_int_value(), wide.get_type(), "")
        .map(Some)
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

/// The result of an instruction, if it is a whole number.
fn whole_number(at: InstructionValue<'_>) -> Option<IntValue<'_>> {
    // SAFETY: the type is looked at before the value is taken for a number.
    at.get_type()
        .is_int_type()
        .then(|| unsafe { IntValue::new(at.as_value_ref()) })
}

pub(super) fn operand<'ctx>(at: InstructionValue<'ctx>, index: u32) -> Option<IntValue<'ctx>> {
    match at.get_operand(index)?.value()? {
        BasicValueEnum::IntValue(value) => Some(value),
        _ => None,
    }
}

/// Returns whether a value is known to have no more than [`FAST`] bits.
pub(super) fn is_short(value: IntValue<'_>, depth: u32) -> bool {
    bits(value, depth) <= FAST
}

/// Returns how many bits a value has at most.
fn bits(value: IntValue<'_>, depth: u32) -> u32 {
    use InstructionOpcode::{Add, And, Call, LShr, Or, Select, Sub, UDiv, URem, ZExt};
    let width = value.get_type().get_bit_width();
    if let Some(number) = value.get_zero_extended_constant() {
        return u64::BITS - number.leading_zeros();
    }
    let Some(at) = value.as_instruction_value().filter(|_| depth > 0) else {
        return width;
    };
    let of = |index| operand(at, index).map_or(width, |it| bits(it, depth - 1));
    let found = match at.get_opcode() {
        ZExt => operand(at, 0).map_or(width, |it| it.get_type().get_bit_width()),
        And | URem => of(0).min(of(1)),
        Or => of(0).max(of(1)),
        Add => of(0).max(of(1)) + 1,
        UDiv => of(0),
        LShr => {
            let by = operand(at, 1).and_then(IntValue::get_zero_extended_constant);
            of(0) - by.map_or(0, |by| by as u32).min(of(0))
        }
        // SAFETY: the instruction is a subtraction, which has the flag.
        Sub if unsafe { LLVMGetNUW(at.as_value_ref()) } != 0 => of(0),
        Select => distance(at)
            .map_or_else(|| of(1), |it| bits(it[1], 1))
            .max(of(2)),
        Call if is_saturating(at) => of(0),
        _ => width,
    };
    found.min(width)
}

/// Returns whether a call is a subtraction that ends at 0.
fn is_saturating(call: InstructionValue<'_>) -> bool {
    llvm::callee_name(call).is_some_and(|name| name.starts_with("llvm.usub.sat."))
}

/// The range whose length a value is: its beginning and its end. The length of one that ends before
/// it begins is 0.
pub(super) fn range(length: IntValue<'_>) -> Option<[IntValue<'_>; 2]> {
    let at = length.as_instruction_value()?;
    match at.get_opcode() {
        InstructionOpcode::Call if is_saturating(at) => Some([operand(at, 1)?, operand(at, 0)?]),
        InstructionOpcode::Select => {
            let otherwise = operand(at, 2)?.get_zero_extended_constant();
            distance(at).filter(|_| otherwise == Some(0))
        }
        _ => None,
    }
}

/// Returns `a` and `b` of a selection whose first value is `b - a` and whose condition is `a < b`,
/// as the length of a range is.
fn distance(selection: InstructionValue<'_>) -> Option<[IntValue<'_>; 2]> {
    use IntPredicate::{UGE, UGT, ULE, ULT};
    let difference = operand(selection, 1)?.as_instruction_value()?;
    let condition = operand(selection, 0)?.as_instruction_value()?;
    if difference.get_opcode() != InstructionOpcode::Sub {
        return None;
    }
    let (larger, smaller) = match condition.get_icmp_predicate()? {
        ULT | ULE => (1, 0),
        UGT | UGE => (0, 1),
        _ => return None,
    };
    let is_same = |wide: IntValue<'_>, compared: IntValue<'_>| {
        let is_low_half = compared.get_type().get_bit_width() == FAST
            && low_half(wide).is_some_and(|half| half == source(compared));
        wide == compared || is_low_half
    };
    let [end, start] = [operand(difference, 0)?, operand(difference, 1)?];
    (is_same(end, operand(condition, larger)?) && is_same(start, operand(condition, smaller)?))
        .then_some([start, end])
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

/// The number that was extended, or that another has the low half of: the whole number, if it is
/// short.
pub(super) fn plain(number: IntValue<'_>) -> IntValue<'_> {
    let inner = number.as_instruction_value().and_then(|at| {
        let inner = operand(at, 0)?;
        match at.get_opcode() {
            InstructionOpcode::ZExt => Some(inner),
            InstructionOpcode::Trunc if number.get_type().get_bit_width() == FAST => {
                is_short(inner, DEPTH).then_some(inner)
            }
            _ => None,
        }
    });
    inner.map_or(number, plain)
}

/// Returns the value whose low half a short one is: the operand of a truncation, or the value.
pub(super) fn source(short: IntValue<'_>) -> IntValue<'_> {
    let truncation = short.as_instruction_value();
    let truncation = truncation.filter(|it| it.get_opcode() == InstructionOpcode::Trunc);
    truncation.and_then(|it| operand(it, 0)).unwrap_or(short)
}
