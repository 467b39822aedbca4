//! Replaces atomic operations on a thread's own memory by plain ones.
//!
//! `atom` exists in global and shared memory. If the optimiser cannot keep a variable of one thread
//! in registers, the variable is in local memory. There NVPTX's code generator would write
//! `atom.local`, which is not an instruction and which ptxas refuses. No other thread can reach
//! local memory, so a load and a store have the same effect. This pass runs after O3, which has by
//! then removed most such variables. It follows a variable's address through offsets, casts and
//! choices (`phi`, `select`) within one function.
//!
//! Source: PTX ISA, "State Spaces: Local State Space", "atom".

use inkwell::IntPredicate;
use inkwell::builder::{Builder, BuilderError};
use inkwell::llvm_sys::LLVMAtomicRMWBinOp;
use inkwell::llvm_sys::core::LLVMGetAtomicRMWBinOp;
use inkwell::module::Module;
use inkwell::values::{
    AsValueRef, BasicValue, BasicValueEnum, InstructionOpcode, InstructionValue, IntValue,
    PointerValue,
};

use crate::error::CodegenError;
use crate::llvm;
use crate::passes::Options;

/// Replaces every atomic operation on local memory.
pub(crate) fn lower(module: &Module<'_>, options: &Options) -> Result<(), CodegenError> {
    use InstructionOpcode::{AtomicCmpXchg, AtomicRMW};
    let failed = |error: BuilderError| options.failed("lowering of local atomics", error);
    let atomics: Vec<_> = module
        .get_functions()
        .flat_map(llvm::instructions)
        .filter(|at| matches!(at.get_opcode(), AtomicCmpXchg | AtomicRMW))
        .filter(|at| operand(*at, 0).is_some_and(|address| is_local(address, 8)))
        .collect();
    let builder = module.get_context().create_builder();
    for at in atomics {
        builder.position_before(&at);
        let value = match at.get_opcode() {
            AtomicCmpXchg => exchange(&builder, at).map_err(failed)?,
            _ => read_and_write(&builder, at).map_err(failed)?,
        };
        if let Some(value) = value {
            llvm::replace_by_value(at, value);
        }
    }
    Ok(())
}

fn operand<'ctx>(at: InstructionValue<'ctx>, index: u32) -> Option<BasicValueEnum<'ctx>> {
    at.get_operand(index)?.value()
}

/// Returns whether an address is that of a variable of the function on every path. Choices are
/// followed to a depth of `depth`.
fn is_local(address: BasicValueEnum<'_>, depth: u32) -> bool {
    use InstructionOpcode::{AddrSpaceCast, Alloca, BitCast, GetElementPtr, Phi, Select};
    let Some(at) = address.as_instruction_value() else {
        return false;
    };
    let is_local_at =
        |index| depth > 0 && operand(at, index).is_some_and(|it| is_local(it, depth - 1));
    match at.get_opcode() {
        Alloca => true,
        GetElementPtr | BitCast | AddrSpaceCast => is_local_at(0),
        Select => is_local_at(1) && is_local_at(2),
        Phi => (0..at.get_num_operands()).all(is_local_at),
        _ => false,
    }
}

/// Replaces `cmpxchg`. The result is the old value, and whether it was the expected one.
fn exchange<'ctx>(
    builder: &Builder<'ctx>,
    at: InstructionValue<'ctx>,
) -> Result<Option<BasicValueEnum<'ctx>>, BuilderError> {
    let (Some(BasicValueEnum::PointerValue(address)), Some(expected), Some(new)) =
        (operand(at, 0), operand(at, 1), operand(at, 2))
    else {
        return Ok(None);
    };
    let old = builder.build_load(new.get_type(), address, "")?;
    let is_equal = match (old, expected) {
        (BasicValueEnum::IntValue(a), BasicValueEnum::IntValue(b)) => {
            builder.build_int_compare(IntPredicate::EQ, a, b, "")?
        }
        (BasicValueEnum::PointerValue(a), BasicValueEnum::PointerValue(b)) => {
            builder.build_int_compare(IntPredicate::EQ, a, b, "")?
        }
        _ => return Ok(None),
    };
    let stored = builder.build_select(is_equal, new, old, "")?;
    builder.build_store(address, stored)?;
    let pair = at.get_type().into_struct_type();
    let pair = builder.build_insert_value(pair.get_undef(), old, 0, "")?;
    let pair = builder.build_insert_value(pair, is_equal, 1, "")?;
    Ok(Some(pair.as_basic_value_enum()))
}

/// Replaces `atomicrmw` of integers. For floats the code generator itself makes a load and a store.
fn read_and_write<'ctx>(
    builder: &Builder<'ctx>,
    at: InstructionValue<'ctx>,
) -> Result<Option<BasicValueEnum<'ctx>>, BuilderError> {
    let (Some(BasicValueEnum::PointerValue(address)), Some(BasicValueEnum::IntValue(value))) =
        (operand(at, 0), operand(at, 1))
    else {
        return Ok(None);
    };
    // SAFETY: the instruction is an `atomicrmw`, which has an operation.
    let operation = unsafe { LLVMGetAtomicRMWBinOp(at.as_value_ref()) };
    let old = load(builder, address, value)?;
    let Some(new) = result(builder, operation, old, value)? else {
        return Ok(None);
    };
    builder.build_store(address, new)?;
    Ok(Some(old.into()))
}

fn load<'ctx>(
    builder: &Builder<'ctx>,
    address: PointerValue<'ctx>,
    like: IntValue<'ctx>,
) -> Result<IntValue<'ctx>, BuilderError> {
    Ok(builder
        .build_load(like.get_type(), address, "")?
        .into_int_value())
}

/// Returns the value that an operation leaves in memory, or `None` if it is not an
/// operation of integers.
fn result<'ctx>(
    builder: &Builder<'ctx>,
    operation: LLVMAtomicRMWBinOp,
    old: IntValue<'ctx>,
    value: IntValue<'ctx>,
) -> Result<Option<IntValue<'ctx>>, BuilderError> {
    use LLVMAtomicRMWBinOp as Op;
    let pick = |predicate| -> Result<IntValue<'ctx>, BuilderError> {
        let keep = builder.build_int_compare(predicate, old, value, "")?;
        Ok(builder.build_select(keep, old, value, "")?.into_int_value())
    };
    Ok(Some(match operation {
        Op::LLVMAtomicRMWBinOpXchg => value,
        Op::LLVMAtomicRMWBinOpAdd => builder.build_int_add(old, value, "")?,
        Op::LLVMAtomicRMWBinOpSub => builder.build_int_sub(old, value, "")?,
        Op::LLVMAtomicRMWBinOpAnd => builder.build_and(old, value, "")?,
        Op::LLVMAtomicRMWBinOpNand => builder.build_not(builder.build_and(old, value, "")?, "")?,
        Op::LLVMAtomicRMWBinOpOr => builder.build_or(old, value, "")?,
        Op::LLVMAtomicRMWBinOpXor => builder.build_xor(old, value, "")?,
        Op::LLVMAtomicRMWBinOpMax => pick(IntPredicate::SGT)?,
        Op::LLVMAtomicRMWBinOpMin => pick(IntPredicate::SLT)?,
        Op::LLVMAtomicRMWBinOpUMax => pick(IntPredicate::UGT)?,
        Op::LLVMAtomicRMWBinOpUMin => pick(IntPredicate::ULT)?,
        _ => return Ok(None),
    }))
}
