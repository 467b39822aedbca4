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
//! Source: `core::iter::range`, `RangeInclusiveIteratorImpl::spec_next`; the value of
//! `RangeInclusive::start` after the end is unspecified.

use inkwell::IntPredicate;
use inkwell::builder::BuilderError;
use inkwell::context::ContextRef;
use inkwell::module::Module;
use inkwell::types::IntType;
use inkwell::values::{CallSiteValue, FunctionValue, InstructionValue, PointerValue};

use crate::llvm;

/// Changes the steps of all ranges of integers. It must run before O3.
pub(crate) fn count(module: &Module<'_>) -> Result<(), BuilderError> {
    let builder = module.get_context().create_builder();
    for function in module.get_functions() {
        let symbol = llvm::name(function);
        if let Some((ty, is_signed)) = number_of_step(&module.get_context(), &symbol)
            && let Some((comparison, start)) = llvm::instructions(function).find_map(comparison)
        {
            builder.position_before(&comparison);
            let one = ty.const_int(is_signed.into(), false);
            let largest = builder.build_right_shift(ty.const_all_ones(), one, false, "")?;
            let now = builder.build_load(ty, start, "")?.into_int_value();
            let has_next = builder.build_int_compare(IntPredicate::NE, now, largest, "")?;
            if let Some(end) = otherwise(function, comparison) {
                builder.position_before(&end);
                let next = builder.build_int_add(now, ty.const_int(1, false), "")?;
                builder.build_store(start, next)?;
            }
            llvm::replace_by_value(comparison, has_next.into());
        }
    }
    Ok(())
}

/// The type of a range's numbers and whether it is signed, if the symbol is that of a function
/// that gives the next one.
fn number_of_step<'ctx>(context: &ContextRef<'ctx>, symbol: &str) -> Option<(IntType<'ctx>, bool)> {
    let path = format!("{:#}", rustc_demangle::demangle(symbol));
    let (number, rest) = path
        .strip_prefix("<core::ops::range::RangeInclusive<")?
        .split_once('>')?;
    let ty = match number.trim_start_matches(['i', 'u']) {
        "8" => context.i8_type(),
        "16" => context.i16_type(),
        "32" => context.i32_type(),
        "64" | "size" => context.i64_type(),
        "128" => context.i128_type(),
        _ => return None,
    };
    let is_step = rest.ends_with("RangeInclusiveIteratorImpl>::spec_next");
    is_step.then_some((ty, number.starts_with('i')))
}

/// The call that asks whether the start is below the end, with the address of the start.
fn comparison(at: InstructionValue<'_>) -> Option<(InstructionValue<'_>, PointerValue<'_>)> {
    let callee = llvm::callee(CallSiteValue::try_from(at).ok()?)?;
    let path = format!("{:#}", rustc_demangle::demangle(&llvm::name(callee)));
    let start = at.get_operand(0)?.value()?;
    (path.ends_with("PartialOrd>::lt") && start.is_pointer_value())
        .then(|| (at, start.into_pointer_value()))
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
