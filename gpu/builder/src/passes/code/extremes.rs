//! Compares with two numbers of 64 bits, not with the smaller or the larger one.
//!
//! LLVM joins `i < a.len() && i < b.len()` to one comparison with the smaller length. A GPU has no
//! minimum of 64 bits: it takes two comparisons and two selections, where the comparison that it
//! saves takes two instructions. Code generation would join them again, so one of the two is
//! assembly.

use inkwell::IntPredicate::{self, UGE, UGT, ULE, ULT};
use inkwell::builder::{Builder, BuilderError};
use inkwell::llvm_sys::core::LLVMGetInstructionParent;
use inkwell::module::Module;
use inkwell::values::{
    AsValueRef, BasicValue, BasicValueEnum, FunctionValue, InstructionOpcode, InstructionValue,
    IntValue,
};

use super::divisions::{FAST, operand};
use crate::error::CodegenError;
use crate::llvm::{self, Flow};
use crate::passes::Options;

/// Splits the comparisons of all functions, but for those in loops: an extreme of what does not
/// change there is computed before the loop. It must be the last pass: LLVM's own would join them
/// again, and no other recognises the assembly.
pub(crate) fn split(module: &Module<'_>, options: &Options) -> Result<(), CodegenError> {
    let builder = module.get_context().create_builder();
    for function in module.get_functions() {
        split_in(&builder, function).map_err(|error| options.failed("comparisons", error))?;
    }
    Ok(())
}

fn split_in<'ctx>(
    builder: &Builder<'ctx>,
    function: FunctionValue<'ctx>,
) -> Result<(), BuilderError> {
    use InstructionOpcode::{And, ICmp, Or};
    let of = |opcodes: &[InstructionOpcode]| -> Vec<_> {
        let all = llvm::instructions(function);
        all.filter(|at| opcodes.contains(&at.get_opcode()))
            .collect()
    };
    let (mut comparisons, flow) = (of(&[ICmp]), Flow::of(function));
    while let Some(at) = comparisons.pop() {
        builder.position_before(&at);
        if has_extreme(at)
            && !is_in_loop(&flow, at)
            && let Some((made, all)) = two(builder, at)?
        {
            // One of the two may be with an extreme itself.
            comparisons.extend(made.iter().filter_map(BasicValue::as_instruction_value));
            llvm::replace_by_value(at, all.into());
        }
    }
    for at in of(&[And, Or]) {
        if let Some(second) = second_of_two(at).filter(|_| !is_in_loop(&flow, at)) {
            builder.position_before(&at);
            if let Some(hidden) = hidden(builder, second)? {
                at.set_operand(1, hidden);
            }
        }
    }
    Ok(())
}

/// Returns whether an instruction may run again.
fn is_in_loop(flow: &Flow, at: InstructionValue<'_>) -> bool {
    // SAFETY: the instruction is one of a block of the function.
    let block = unsafe { LLVMGetInstructionParent(at.as_value_ref()) };
    let Some(block) = flow.blocks.iter().position(|it| *it == block) else {
        return false;
    };
    let mut next = flow.successors[block].iter();
    next.any(|it| flow.reached(*it, &[]).contains(&block))
}

/// The second of two comparisons of 64 bits that are about one number, in the same direction, and
/// that nothing else in the block uses: code generation repeats a comparison in each block that
/// uses it, and would join these two.
fn second_of_two(of: InstructionValue<'_>) -> Option<InstructionValue<'_>> {
    let [first, second] = [0, 1].map(|index| operand(of, index)?.as_instruction_value());
    let (first, second) = (first?, second?);
    // SAFETY: users of an instruction are instructions.
    let user = |it| unsafe { InstructionValue::new(it) };
    let is_for_it = |at: InstructionValue<'_>| {
        let mut users = llvm::users(at.as_value_ref()).into_iter().map(user);
        users.all(|it| it == of || it.get_parent() != of.get_parent())
    };
    let (own, others) = (directions(first)?, directions(second)?);
    let in_common = own.iter().filter(|it| others.contains(it)).count();
    (in_common == 1 && is_for_it(first) && is_for_it(second)).then_some(second)
}

/// What a comparison of 64 bits says of each of its numbers.
fn directions<'ctx>(at: InstructionValue<'ctx>) -> Option<[(IntValue<'ctx>, IntPredicate); 2]> {
    let predicate = at.get_icmp_predicate()?;
    let (first, second) = (operand(at, 0)?, operand(at, 1)?);
    let is_wide = first.get_type().get_bit_width() == 2 * FAST;
    is_wide.then_some([(first, predicate), (second, mirrored(predicate)?)])
}

/// A comparison as assembly.
fn hidden<'ctx>(
    builder: &Builder<'ctx>,
    comparison: InstructionValue<'ctx>,
) -> Result<Option<BasicValueEnum<'ctx>>, BuilderError> {
    let name = match comparison.get_icmp_predicate() {
        Some(UGE) => "ge",
        Some(UGT) => "gt",
        Some(ULE) => "le",
        Some(ULT) => "lt",
        _ => return Ok(None),
    };
    let (Some(first), Some(second)) = (operand(comparison, 0), operand(comparison, 1)) else {
        return Ok(None);
    };
    let (wide, context) = (first.get_type(), first.get_type().get_context());
    let signature = context
        .bool_type()
        .fn_type(&[wide.into(), wide.into()], false);
    let text = format!("setp.{name}.u64 $0, $1, $2;");
    let constraints = "=b,l,l".to_owned();
    let compare =
        context.create_inline_asm(signature, text, constraints, false, false, None, false);
    let call =
        builder.build_indirect_call(signature, compare, &[first.into(), second.into()], "")?;
    Ok(Some(call.try_as_basic_value().unwrap_basic()))
}

/// Returns whether a comparison is with an extreme.
fn has_extreme(comparison: InstructionValue<'_>) -> bool {
    [0, 1]
        .iter()
        .any(|it| operand(comparison, *it).and_then(extreme).is_some())
}

/// The two comparisons with what an extreme is one of, and their result.
fn two<'ctx>(
    builder: &Builder<'ctx>,
    comparison: InstructionValue<'ctx>,
) -> Result<Option<([IntValue<'ctx>; 2], IntValue<'ctx>)>, BuilderError> {
    let (Some(first), Some(second), Some(predicate)) = (
        operand(comparison, 0),
        operand(comparison, 1),
        comparison.get_icmp_predicate(),
    ) else {
        return Ok(None);
    };
    let found = extreme(first)
        .map(|it| (it, second, predicate))
        .or_else(|| Some((extreme(second)?, first, mirrored(predicate)?)));
    let Some((([a, b], is_largest), other, predicate)) = found else {
        return Ok(None);
    };
    // The larger one is at least a number if one of them is, and below it if both are.
    let is_any = match predicate {
        UGE | UGT => is_largest,
        ULE | ULT => !is_largest,
        _ => return Ok(None),
    };
    let a = builder.build_int_compare(predicate, a, other, "")?;
    let b = builder.build_int_compare(predicate, b, other, "")?;
    let all = match is_any {
        true => builder.build_or(a, b, "")?,
        false => builder.build_and(a, b, "")?,
    };
    Ok(Some(([a, b], all)))
}

/// The predicate of a comparison whose operands are exchanged.
fn mirrored(predicate: IntPredicate) -> Option<IntPredicate> {
    match predicate {
        UGE => Some(ULE),
        UGT => Some(ULT),
        ULE => Some(UGE),
        ULT => Some(UGT),
        _ => None,
    }
}

/// The two numbers that a value is the smaller or the larger one of, and whether it is the larger:
/// if it has 64 bits, and nothing else uses it.
fn extreme(value: IntValue<'_>) -> Option<([IntValue<'_>; 2], bool)> {
    let call = value.as_instruction_value()?;
    let name = llvm::callee_name(call)?;
    let is_largest = name.starts_with("llvm.umax.");
    let is_wanted = (is_largest || name.starts_with("llvm.umin."))
        && value.get_type().get_bit_width() == 2 * FAST
        && llvm::users(call.as_value_ref()).len() == 1;
    is_wanted.then_some(([operand(call, 0)?, operand(call, 1)?], is_largest))
}
