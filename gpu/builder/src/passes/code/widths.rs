//! Compares and multiplies in 32 bits what has no more.
//!
//! Indices and sizes are `usize` in Rust, and many of them come from numbers of 32 bits: a thread's
//! position, the rows and columns of a matrix. A GPU compares 64 bits in two instructions, the
//! second of which waits for the first, and multiplies them in three or four, but two numbers of 32
//! bits give a product of 64 in one. LLVM narrows a comparison of two extended numbers, but not one
//! with a half of a 64-bit parameter, which it keeps as a mask or a shift; and it does not see that
//! `y` has 32 bits where a branch has shown that `y < rows`, or that `rows - 1` has.
//!
//! Numbers below 2^32 are not negative in 64 bits, so a signed comparison becomes an unsigned one.

use inkwell::IntPredicate::{NE, SGE, SGT, SLE, SLT, UGE, UGT, ULE, ULT};
use inkwell::builder::{Builder, BuilderError};
use inkwell::llvm_sys::core::LLVMGetInstructionParent;
use inkwell::module::Module;
use inkwell::values::{AsValueRef, BasicValue, InstructionOpcode, InstructionValue, IntValue};

use super::divisions::{FAST, is_short, low_half, operand, source};
use super::range_checks;
use crate::error::CodegenError;
use crate::llvm::{self, Flow};
use crate::passes::Options;

/// The number of operations that are looked through to find out how many bits a factor has.
const DEPTH: u32 = 6;

/// The largest number of 32 bits.
const ONES: u64 = u32::MAX as u64;

/// Narrows the comparisons and products of all functions. It must be one of the last
/// passes: others recognise the wide comparisons.
pub(crate) fn narrow(module: &Module<'_>, options: &Options) -> Result<(), CodegenError> {
    let builder = module.get_context().create_builder();
    for function in module.get_functions() {
        let wide: Vec<_> = llvm::instructions(function)
            .filter(|at| {
                matches!(
                    at.get_opcode(),
                    InstructionOpcode::ICmp | InstructionOpcode::Mul
                )
            })
            .collect();
        if wide.is_empty() {
            continue;
        }
        let flow = Flow::of(function);
        for at in wide {
            builder.position_before(&at);
            let narrow = if at.get_opcode() == InstructionOpcode::ICmp {
                comparison(&builder, &flow, at)
            } else {
                product(&builder, &flow, at)
            };
            let narrow = narrow.map_err(|error| options.failed("narrowing", error))?;
            if let Some(value) = narrow {
                llvm::replace_by_value(at, value.into());
            }
        }
    }
    Ok(())
}

/// The operands of an instruction, if they are numbers of 64 bits.
fn operands(at: InstructionValue<'_>) -> Option<[IntValue<'_>; 2]> {
    let [Some(first), Some(second)] = [0, 1].map(|index| operand(at, index)) else {
        return None;
    };
    (first.get_type().get_bit_width() == 2 * FAST).then_some([first, second])
}

/// Writes the comparison in 32 bits, if both operands have no more.
fn comparison<'ctx>(
    builder: &Builder<'ctx>,
    flow: &Flow,
    comparison: InstructionValue<'ctx>,
) -> Result<Option<IntValue<'ctx>>, BuilderError> {
    let (Some([first, second]), Some(predicate)) =
        (operands(comparison), comparison.get_icmp_predicate())
    else {
        return Ok(None);
    };
    if let (UGT, Some(ONES)) = (predicate, second.get_zero_extended_constant()) {
        return has_high_half(builder, first).map(Some);
    }
    // Halves, and numbers that were extended: the low half of others would take a register more.
    let is_half = |it| {
        is_short(it, 1) || number_after(it).is_some_and(|it| is_positive(flow, comparison, it))
    };
    if ![first, second].into_iter().all(is_half) {
        return Ok(None);
    }
    let unsigned = match predicate {
        SLT => ULT,
        SLE => ULE,
        SGT => UGT,
        SGE => UGE,
        other => other,
    };
    let short = first.get_type().get_context().i32_type();
    let first = builder.build_int_truncate(first, short, "")?;
    let second = builder.build_int_truncate(second, short, "")?;
    builder
        .build_int_compare(unsigned, first, second, "")
        .map(Some)
}

/// Whether a number has more than 32 bits.
fn has_high_half<'ctx>(
    builder: &Builder<'ctx>,
    number: IntValue<'ctx>,
) -> Result<IntValue<'ctx>, BuilderError> {
    let (wide, short) = (
        number.get_type(),
        number.get_type().get_context().i32_type(),
    );
    let by = wide.const_int(FAST.into(), false);
    let high = builder.build_right_shift(number, by, false, "")?;
    let high = builder.build_int_truncate(high, short, "")?;
    builder.build_int_compare(NE, high, short.const_zero(), "")
}

/// The extended number that another is one less than.
fn number_after(number: IntValue<'_>) -> Option<IntValue<'_>> {
    let sum = number.as_instruction_value()?;
    let minus_one = operand(sum, 1)?.get_sign_extended_constant() == Some(-1);
    let after = operand(sum, 0)?;
    let is_after = sum.get_opcode() == InstructionOpcode::Add && minus_one && is_short(after, 1);
    is_after.then_some(after)
}

/// Returns whether a branch before has shown that something is below a number.
fn is_positive(flow: &Flow, before: InstructionValue<'_>, number: IntValue<'_>) -> bool {
    let low = low_half(number);
    let guards = block_of(flow, before).map_or_else(Vec::new, |it| range_checks::guards(flow, it));
    guards
        .iter()
        // SAFETY: what is compared are numbers.
        .map(|(_, large)| source(unsafe { IntValue::new(*large) }))
        .any(|large| large == number || Some(large) == low)
}

/// The block that an instruction is in.
fn block_of(flow: &Flow, at: InstructionValue<'_>) -> Option<usize> {
    // SAFETY: the instruction is one of a block of the function.
    let block = unsafe { LLVMGetInstructionParent(at.as_value_ref()) };
    flow.blocks.iter().position(|it| *it == block)
}

/// Writes the product as one of two extended numbers, if both factors have no more than 32 bits.
fn product<'ctx>(
    builder: &Builder<'ctx>,
    flow: &Flow,
    product: InstructionValue<'ctx>,
) -> Result<Option<IntValue<'ctx>>, BuilderError> {
    let Some(factors) = operands(product) else {
        return Ok(None);
    };
    let is_simple =
        factors.iter().any(|it| it.is_const()) || factors.iter().all(|it| is_short(*it, 1));
    let Some(block) = block_of(flow, product) else {
        return Ok(None);
    };
    let guards = range_checks::guards(flow, block);
    let is_below = |factor: IntValue<'_>| {
        guards.iter().any(|(small, large)| {
            // SAFETY: what is compared with a number of 64 bits is one.
            *small == factor.as_value_ref() && is_short(unsafe { IntValue::new(*large) }, DEPTH)
        })
    };
    // LLVM narrows a product of two extended numbers itself, and has other ways with constants.
    if is_simple
        || !factors
            .iter()
            .all(|it| is_short(*it, DEPTH) || is_below(*it))
    {
        return Ok(None);
    }
    let wide = factors[0].get_type();
    let short = wide.get_context().i32_type();
    let low = |factor: IntValue<'ctx>| match factor.as_instruction_value() {
        Some(at)
            if at.get_opcode() == InstructionOpcode::ZExt
                && operand(at, 0).is_some_and(|it| it.get_type() == short) =>
        {
            Ok(operand(at, 0).unwrap_or(factor))
        }
        _ => builder.build_int_truncate(factor, short, ""),
    };
    let signature = wide.fn_type(&[short.into(), short.into()], false);
    let multiply = wide.get_context().create_inline_asm(
        signature,
        "mul.wide.u32 $0, $1, $2;".to_owned(),
        "=l,r,r".to_owned(),
        false,
        false,
        None,
        false,
    );
    let call = builder.build_indirect_call(
        signature,
        multiply,
        &[low(factors[0])?.into(), low(factors[1])?.into()],
        "",
    )?;
    Ok(Some(
        call.try_as_basic_value().unwrap_basic().into_int_value(),
    ))
}
