//! Takes out the fences that are for the optimiser alone.
//!
//! `core::sync::atomic::compiler_fence` is a fence among the instructions of one thread: LLVM's
//! optimiser keeps memory operations on their side of it, and no machine needs an instruction for
//! it. NVPTX's code generator does not know the scope and gives up. So they go when the optimiser
//! has done.
//!
//! Source: LLVM Language Reference, "Atomic Memory Ordering Constraints"
//! (`syncscope("singlethread")`).

use inkwell::llvm_sys::core::{LLVMGetAtomicSyncScopeID, LLVMGetSyncScopeID};
use inkwell::module::Module;
use inkwell::values::{AsValueRef, InstructionOpcode, InstructionValue};

use crate::llvm;

const SCOPE: &str = "singlethread";

/// Removes them all.
pub(crate) fn remove(module: &Module<'_>) {
    // SAFETY: the context lives as long as the module; a scope is made if it is not there yet,
    // which harms nothing.
    let scope = unsafe {
        LLVMGetSyncScopeID(
            module.get_context().raw(),
            SCOPE.as_ptr().cast(),
            SCOPE.len(),
        )
    };
    let is_one = |instruction: &InstructionValue<'_>| {
        instruction.get_opcode() == InstructionOpcode::Fence
            // SAFETY: it is a fence, which has a scope.
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
