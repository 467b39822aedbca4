//! Gives atomic instructions their scope.
//!
//! Rust's atomics have an order and no scope; LLVM's without one mean the whole system. `gpu-std` calls
//! `__lanewise_atomic_scope(scope)` in the function in which an atomic instruction stands, before anything is inlined. Here
//! the number becomes the scope of all atomic instructions of that function, and the call goes. An addition of floats, which
//! comes from an intrinsic without an order, becomes relaxed as well.
//!
//! Source: LLVM, "User Guide for NVPTX Back-end: Syncscopes"; PTX ISA, "Memory Consistency Model: Scope".

use inkwell::llvm_sys::core::{
    LLVMGetSyncScopeID, LLVMGetTypeKind, LLVMIsAAtomicRMWInst, LLVMIsAtomic,
    LLVMSetAtomicSyncScopeID, LLVMSetOrdering, LLVMTypeOf,
};
use inkwell::llvm_sys::{LLVMAtomicOrdering, LLVMTypeKind};
use inkwell::module::Module;
use inkwell::values::{AsValueRef, CallSiteValue, InstructionValue};

use crate::llvm;

const MARKER: &str = "__lanewise_atomic_scope";

/// LLVM's name of each scope that `gpu-std` numbers; the empty one is the system.
const SCOPES: [&str; 3] = ["", "device", "block"];

/// Handles every marker call.
pub(super) fn set(module: &Module<'_>) {
    let Some(marker) = module.get_function(MARKER) else {
        return;
    };
    for call in llvm::calls_of(marker).0 {
        // SAFETY: a `CallSiteValue` of a module's list of calls is an instruction.
        let instruction = unsafe { InstructionValue::new(call.as_value_ref()) };
        let scope = scope(call).unwrap_or_default();
        let function = instruction
            .get_parent()
            .and_then(|block| block.get_parent());
        for at in function.into_iter().flat_map(llvm::instructions) {
            set_scope(module, at, scope);
        }
        instruction.erase_from_basic_block();
    }
}

/// The scope that a marker call names.
fn scope(call: CallSiteValue<'_>) -> Option<&'static str> {
    let number = llvm::constant_argument(call, 0)?;
    SCOPES.get(usize::try_from(number).ok()?).copied()
}

/// Sets the scope of an instruction, if it is atomic.
fn set_scope(module: &Module<'_>, instruction: InstructionValue<'_>, scope: &str) {
    let value = instruction.as_value_ref();
    // SAFETY: `value` is an instruction; scope and order are set on atomic ones only.
    unsafe {
        if LLVMIsAtomic(value) == 0 {
            return;
        }
        let context = module.get_context().raw();
        LLVMSetAtomicSyncScopeID(
            value,
            LLVMGetSyncScopeID(context, scope.as_ptr().cast(), scope.len()),
        );
        let float = matches!(
            LLVMGetTypeKind(LLVMTypeOf(value)),
            LLVMTypeKind::LLVMFloatTypeKind | LLVMTypeKind::LLVMDoubleTypeKind
        );
        if float && !LLVMIsAAtomicRMWInst(value).is_null() {
            LLVMSetOrdering(value, LLVMAtomicOrdering::LLVMAtomicOrderingMonotonic);
        }
    }
}
