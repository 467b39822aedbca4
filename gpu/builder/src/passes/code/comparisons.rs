//! Compares in 32 bits what has no more.
//!
//! Indices and sizes are `usize` in Rust, and many of them come from numbers of 32 bits: a thread's
//! position, the rows and columns of a matrix. A GPU compares 64 bits in two instructions, the
//! second of which waits for the first. LLVM narrows a comparison of two extended numbers, but not
//! one with a half of a 64-bit parameter, which it keeps as a mask or a shift.
//!
//! Numbers below 2^32 are not negative in 64 bits, so a signed comparison becomes an unsigned one.

use inkwell::IntPredicate::{SGE, SGT, SLE, SLT, UGE, UGT, ULE, ULT};
use inkwell::builder::{Builder, BuilderError};
use inkwell::module::Module;
use inkwell::values::{InstructionOpcode, InstructionValue, IntValue};

use super::divisions::{FAST, is_short, operand};
use crate::error::CodegenError;
use crate::llvm;
use crate::passes::Options;

/// Narrows the comparisons of all functions. It must be the last pass: others recognise the wide
/// comparisons.
pub(crate) fn narrow(module: &Module<'_>, options: &Options) -> Result<(), CodegenError> {
    let builder = module.get_context().create_builder();
    let comparisons: Vec<_> = module
        .get_functions()
        .flat_map(llvm::instructions)
        .filter(|at| at.get_opcode() == InstructionOpcode::ICmp)
        .collect();
    for comparison in comparisons {
        builder.position_before(&comparison);
        let narrow = narrowed(&builder, comparison)
            .map_err(|error| options.failed("narrowing of comparisons", error))?;
        if let Some(value) = narrow {
            llvm::replace_by_value(comparison, value.into());
        }
    }
    Ok(())
}

/// Writes the comparison in 32 bits, if both operands have no more.
fn narrowed<'ctx>(
    builder: &Builder<'ctx>,
    comparison: InstructionValue<'ctx>,
) -> Result<Option<IntValue<'ctx>>, BuilderError> {
    let operands = [0, 1].map(|index| operand(comparison, index));
    let ([Some(first), Some(second)], Some(predicate)) =
        (operands, comparison.get_icmp_predicate())
    else {
        return Ok(None);
    };
    let wide = first.get_type();
    // Halves, and numbers that were extended: the low half of others would take a register more.
    let both_are_short = || [first, second].into_iter().all(|it| is_short(it, 1));
    if wide.get_bit_width() != 2 * FAST || !both_are_short() {
        return Ok(None);
    }
    let unsigned = match predicate {
        SLT => ULT,
        SLE => ULE,
        SGT => UGT,
        SGE => UGE,
        other => other,
    };
    let short = wide.get_context().i32_type();
    let first = builder.build_int_truncate(first, short, "")?;
    let second = builder.build_int_truncate(second, short, "")?;
    builder
        .build_int_compare(unsigned, first, second, "")
        .map(Some)
}
