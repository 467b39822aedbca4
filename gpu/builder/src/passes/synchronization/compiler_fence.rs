//! Removes the fences that only affect the optimiser.
//!
//! `core::sync::atomic::compiler_fence` is a fence among the instructions of one thread. LLVM's
//! optimiser does not move memory operations across it, and no machine needs an instruction for it.
//! NVPTX's code generator does not support its scope and stops. So this pass removes these fences
//! after the optimiser has run.
//!
//! Source: LLVM Language Reference, "Atomic Memory Ordering Constraints"
//! (`syncscope("singlethread")`).

use inkwell::llvm_sys::core::{LLVMGetAtomicSyncScopeID, LLVMGetSyncScopeID};
use inkwell::module::Module;
use inkwell::values::{AsValueRef, InstructionOpcode, InstructionValue};

use crate::llvm;

const SCOPE: &str = "singlethread";

/// Removes all fences of one thread's scope.
pub(crate) fn remove(module: &Module<'_>) {
    // SAFETY: the context lives as long as the module. LLVM creates the scope if it does not exist
    // yet, which is harmless.
    let scope = unsafe {
        LLVMGetSyncScopeID(
            module.get_context().raw(),
            SCOPE.as_ptr().cast(),
            SCOPE.len(),
        )
    };
    let is_one = |instruction: &InstructionValue<'_>| {
        instruction.get_opcode() == InstructionOpcode::Fence
            // SAFETY: the instruction is a fence, which has a scope.
            && unsafe { LLVMGetAtomicSyncScopeID(instruction.as_value_ref()) } == scope
    };
    let fences: Vec<_> = module
        .get_functions()
        .flat_map(llvm::instructions)
        .filter(is_one)
        .collect();
    for fence in fences {
        fence.erase_from_basic_block();
    }
}
