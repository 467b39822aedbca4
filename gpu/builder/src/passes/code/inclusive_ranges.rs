//! Lets an inclusive range end as `a..b` does, so that its loop has a number of iterations.
//!
//! `a..=b` sets a flag after its last number, for that number may be the largest of its type, and
//! then there is none after it. The flag is the only end of the loop that LLVM sees: it computes no
//! number of iterations, so loops like `for dx in -2..=2` are not unrolled, nor those around them.
//! This pass sets the flag only after the largest number of the type. After any other, the start
//! becomes one more than the end, and a range with such bounds is empty as well. Where the end is
//! known, the flag is gone. Otherwise the start grows by one in each iteration, also in the one
//! that sets the flag, and both ends of the loop have a number of iterations.
//!
//! `(a..=b).step_by(s)` takes every `s`-th number by `nth`, which tests whether the range is empty,
//! for an overflow, and whether the number is below the end, or at it. Here two comparisons take
//! their place: the sum of the start and the step is no less than the start, and no more than the
//! end. The sum has 64 bits, so numbers of fewer bits have no overflow.
//! (`range_checks/inclusive.rs` takes the first away where LLVM does not see that it holds.)
//!
//! Source: `core::iter::range`, `RangeInclusiveIteratorImpl::spec_next` and
//! `RangeInclusive::nth`; the value of `RangeInclusive::start` after the end is unspecified.

use inkwell::IntPredicate;
use inkwell::builder::{Builder, BuilderError};
use inkwell::context::ContextRef;
use inkwell::module::Module;
use inkwell::types::{AnyTypeEnum, BasicTypeEnum, IntType};
use inkwell::values::{
    BasicValue, CallSiteValue, FunctionValue, InstructionOpcode, InstructionValue, IntValue,
    PointerValue,
};

use crate::llvm;

/// Changes the steps of all ranges of integers. It must run before O3.
pub(crate) fn count(module: &Module<'_>) -> Result<(), BuilderError> {
    let context = module.get_context();
    for function in module.get_functions() {
        let path = llvm::path(function);
        let Some((number, method)) = path
            .strip_prefix("<core::ops::range::RangeInclusive<")
            .and_then(|path| path.split_once('>'))
        else {
            continue;
        };
        let Some(number) = Number::of(&context, number) else {
            continue;
        };
        if method.ends_with("RangeInclusiveIteratorImpl>::spec_next") {
            next(&context, function, number)?;
        } else if method.ends_with("Iterator>::nth") {
            nth(&context, function, number)?;
        }
    }
    Ok(())
}

/// The type of a range's numbers.
#[derive(Clone, Copy)]
struct Number<'ctx> {
    ty: IntType<'ctx>,
    is_signed: bool,
}

impl<'ctx> Number<'ctx> {
    fn of(context: &ContextRef<'ctx>, name: &str) -> Option<Self> {
        let ty = match name.trim_start_matches(['i', 'u']) {
            "8" => context.i8_type(),
            "16" => context.i16_type(),
            "32" => context.i32_type(),
            "64" | "size" => context.i64_type(),
            "128" => context.i128_type(),
            _ => return None,
        };
        let is_signed = name.starts_with('i');
        Some(Number { ty, is_signed })
    }

    /// Asks whether the value is the largest one of the type, or is not.
    fn compare_with_largest(
        self,
        builder: &Builder<'ctx>,
        predicate: IntPredicate,
        value: IntValue<'ctx>,
    ) -> Result<IntValue<'ctx>, BuilderError> {
        let unused = self.ty.const_int(self.is_signed.into(), false);
        let largest = builder.build_right_shift(self.ty.const_all_ones(), unused, false, "")?;
        builder.build_int_compare(predicate, value, largest, "")
    }
}

/// Changes `spec_next`, the step to the next number.
fn next<'ctx>(
    context: &ContextRef<'ctx>,
    function: FunctionValue<'ctx>,
    number: Number<'ctx>,
) -> Result<(), BuilderError> {
    let Some((comparison, start)) = call(function, "PartialOrd>::lt").and_then(|call| {
        let start = call.get_operand(0)?.value()?;
        start
            .is_pointer_value()
            .then(|| (call, start.into_pointer_value()))
    }) else {
        return Ok(());
    };
    let builder = context.create_builder();
    builder.position_before(&comparison);
    let now = builder.build_load(number.ty, start, "")?.into_int_value();
    let has_next = number.compare_with_largest(&builder, IntPredicate::NE, now)?;
    if let Some(end) = otherwise(function, comparison) {
        builder.position_before(&end);
        let next = builder.build_int_add(now, number.ty.const_int(1, false), "")?;
        builder.build_store(start, next)?;
    }
    llvm::replace_by_value(comparison, has_next.into());
    Ok(())
}

/// Changes `nth`, the step over some numbers. There is a sum if it is not above the end, and the
/// range is not empty then: of the three results of their comparison, the one for the end is for
/// the largest number.
fn nth<'ctx>(
    context: &ContextRef<'ctx>,
    function: FunctionValue<'ctx>,
    number: Number<'ctx>,
) -> Result<(), BuilderError> {
    let (Some(is_range), Some(sum), Some(comparison)) = (
        call(function, "PartialOrd>::le"),
        call(function, "Step>::forward_checked"),
        call(function, "PartialOrd>::partial_cmp"),
    ) else {
        return Ok(());
    };
    let value = |call: InstructionValue<'ctx>, at| call.get_operand(at)?.value();
    let (Some(start), Some(step), Some(reached), Some(end)) = (
        value(sum, 0),
        value(sum, 1),
        value(comparison, 0),
        value(comparison, 1),
    ) else {
        return Ok(());
    };
    // An `Option` in two registers: whether there is a number, and the number. (One of 128 bits is
    // in memory.)
    let (AnyTypeEnum::StructType(option), Some(end)) = (sum.get_type(), end.as_instruction_value())
    else {
        return Ok(());
    };
    let [BasicTypeEnum::IntType(tag), BasicTypeEnum::IntType(ty)] = option.get_field_types()[..]
    else {
        return Ok(());
    };
    if ty != number.ty || end.get_opcode() != InstructionOpcode::GetElementPtr {
        return Ok(());
    }
    let (start, step) = (start.into_int_value(), step.into_int_value());
    // A sum of 64 bits with a sign may pass the largest number and be above the start all the same.
    if number.is_signed && ty == step.get_type() {
        return Ok(());
    }
    let Some((exhausted_branch, is_exhausted)) = before(function, is_range) else {
        return Ok(());
    };
    let builder = context.create_builder();

    builder.position_before(&sum);
    end.remove_from_basic_block(); // the address is computed where it is needed first
    builder.insert_instruction(&end, None);
    let end = PointerValue::try_from(end).expect("an address");
    let end = builder.build_load(ty, end, "")?.into_int_value();
    let wide = |it| builder.build_int_cast_sign_flag(it, step.get_type(), number.is_signed, "");
    let (from, to) = (wide(start)?, wide(end)?);
    let reached_sum = builder.build_int_add(from, step, "")?;
    let (at_least, at_most) = if number.is_signed {
        (IntPredicate::SGE, IntPredicate::SLE)
    } else {
        (IntPredicate::UGE, IntPredicate::ULE)
    };
    let is_sum = builder.build_int_compare(at_least, reached_sum, from, "")?;
    let is_inside = builder.build_int_compare(at_most, reached_sum, to, "")?;
    let is_there = builder.build_and(is_sum, is_inside, "")?;
    let is_there = builder.build_and(is_there, builder.build_not(is_exhausted, "")?, "")?;
    let is_there = builder.build_int_cast_sign_flag(is_there, tag, false, "")?;
    let number_there = builder.build_int_cast_sign_flag(reached_sum, ty, false, "")?;
    let result = builder.build_insert_value(option.get_poison(), is_there, 0, "")?;
    let result = builder.build_insert_value(result, number_there, 1, "")?;
    llvm::replace_by_value(sum, result.as_basic_value_enum());

    // Whether the range is empty is tested with that.
    llvm::replace_by_value(is_range, context.bool_type().const_all_ones().into());
    exhausted_branch.set_operand(0, context.bool_type().const_zero());

    // The start grows after the largest number, too, as it does in `next`.
    for at in llvm::instructions(function).collect::<Vec<_>>() {
        if at.get_opcode() == InstructionOpcode::Store
            && let Some(last) = value(at, 0)
            && let Some(copy) = last.as_instruction_value()
            && calls(copy, "Clone>::clone")
            && value(copy, 0) == Some(reached)
        {
            builder.position_before(&at);
            let one = ty.const_int(1, false);
            let next = builder.build_int_add(last.into_int_value(), one, "")?;
            at.set_operand(0, next);
        }
    }

    builder.position_before(&comparison);
    let reached = builder
        .build_load(ty, reached.into_pointer_value(), "")?
        .into_int_value();
    let is_largest = number.compare_with_largest(&builder, IntPredicate::EQ, reached)?;
    let [equal, less] = [0, -1i64].map(|it| context.i8_type().const_int(it as u64, true));
    let order = builder.build_select(is_largest, equal, less, "")?;
    llvm::replace_by_value(comparison, order);
    Ok(())
}

/// The call of the function whose path ends so.
fn call<'ctx>(function: FunctionValue<'ctx>, path: &str) -> Option<InstructionValue<'ctx>> {
    llvm::instructions(function).find(|at| calls(*at, path))
}

fn calls(at: InstructionValue<'_>, path: &str) -> bool {
    let callee = CallSiteValue::try_from(at).ok().and_then(llvm::callee);
    callee.is_some_and(|callee| llvm::path(callee).ends_with(path))
}

/// The branch that leads to the block of an instruction if its condition does not hold, and the
/// condition.
fn before<'ctx>(
    function: FunctionValue<'ctx>,
    instruction: InstructionValue<'ctx>,
) -> Option<(InstructionValue<'ctx>, IntValue<'ctx>)> {
    let block = instruction.get_parent()?.as_mut_ptr();
    let mut branches = function
        .get_basic_block_iter()
        .filter_map(|it| it.get_terminator());
    let branch = branches.find(|it| llvm::successors(*it).get(1) == Some(&block))?;
    let condition = branch.get_operand(0)?.value()?;
    condition
        .is_int_value()
        .then(|| (branch, condition.into_int_value()))
}

/// The end of the block that follows if the comparison at the end of its block does not hold.
fn otherwise<'ctx>(
    function: FunctionValue<'ctx>,
    comparison: InstructionValue<'ctx>,
) -> Option<InstructionValue<'ctx>> {
    let branch = comparison.get_parent()?.get_terminator()?;
    let [_, otherwise] = llvm::successors(branch)[..] else {
        return None;
    };
    let mut blocks = function.get_basic_block_iter();
    blocks
        .find(|it| it.as_mut_ptr() == otherwise)?
        .get_terminator()
}
