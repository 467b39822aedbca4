//! Tells LLVM how many instructions an atomic operation on a float is, so that it does not unroll
//! loops of many of them.
//!
//! In shared memory, such an operation is a loop around a compare-and-swap, of ten instructions,
//! and threads that add to one cell repeat it. LLVM counts one, and unrolls a loop that adds to 24
//! columns for each row until hundreds of loads and checks are in one piece of code. So a piece of
//! inline assembly, of which LLVM counts the statements, stands beside each until O3 is done. It
//! writes nothing that is memory to LLVM, so that loads are moved across it.

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::builder::BuilderError;
use inkwell::llvm_sys::LLVMAtomicRMWBinOp::{self, *};
use inkwell::llvm_sys::core::LLVMGetAtomicRMWBinOp;
use inkwell::module::Module;
use inkwell::values::{AsValueRef, InstructionOpcode, InstructionValue};

use crate::error::CodegenError;
use crate::llvm;
use crate::passes::Options;

/// What an operation counts as: its loop's instructions, four times. LLVM unrolls loops of up to
/// 800 (`llvm::OPTIONS`).
const COST: usize = 40;
/// A statement, of which LLVM sees the name of an instruction.
const STATEMENT: &str = "atomic;";

/// LLVM's encoding of `memory(inaccessiblemem: readwrite)`.
const INACCESSIBLE: u64 = 0b1100;

/// Puts the statements before every atomic operation on a float.
pub(crate) fn add(module: &Module<'_>, options: &Options) -> Result<(), CodegenError> {
    let context = module.get_context();
    let ty = context.void_type().fn_type(&[], false);
    let text = STATEMENT.repeat(COST);
    let assembly = context.create_inline_asm(ty, text, String::new(), true, false, None, false);
    let attributes = [("memory", INACCESSIBLE), ("nounwind", 0), ("willreturn", 0)];
    let builder = context.create_builder();
    for at in module.get_functions().flat_map(llvm::instructions) {
        if !is_loop(at) {
            continue;
        }
        builder.position_before(&at);
        let call = builder
            .build_indirect_call(ty, assembly, &[], "")
            .map_err(|error: BuilderError| options.failed("costs of atomics", error))?;
        for (name, value) in attributes {
            let kind = Attribute::get_named_enum_kind_id(name);
            let attribute = context.create_enum_attribute(kind, value);
            call.add_attribute(AttributeLoc::Function, attribute);
        }
    }
    Ok(())
}

/// Removes the statements.
pub(crate) fn remove(module: &Module<'_>) {
    let text = STATEMENT.repeat(COST);
    for call in llvm::calls(module) {
        if llvm::assembly(call).is_some_and(|it| it == text) {
            // SAFETY: a call without a result has no users.
            unsafe { InstructionValue::new(call.as_value_ref()) }.erase_from_basic_block();
        }
    }
}

/// Returns whether an operation may become a loop.
fn is_loop(at: InstructionValue<'_>) -> bool {
    const FLOATS: [LLVMAtomicRMWBinOp; 4] = [
        LLVMAtomicRMWBinOpFAdd,
        LLVMAtomicRMWBinOpFSub,
        LLVMAtomicRMWBinOpFMax,
        LLVMAtomicRMWBinOpFMin,
    ];
    at.get_opcode() == InstructionOpcode::AtomicRMW
        // SAFETY: the instruction is an atomic operation.
        && FLOATS.contains(&unsafe { LLVMGetAtomicRMWBinOp(at.as_value_ref()) })
}
