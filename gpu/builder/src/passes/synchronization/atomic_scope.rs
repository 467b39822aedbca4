//! Sets the scope of atomic instructions.
//!
//! Rust's atomics have an order and no scope. In LLVM, an atomic without a scope covers the whole
//! system. `lanewise-std` calls `__lanewise_atomic_scope(scope)` in a function that contains one
//! atomic operation and that rustc does not inline. This pass sets the scope of the function's
//! atomic instructions from that number and removes the call. After that the function may be
//! inlined (rustc forbids it at the function and at each call).
//!
//! Source: LLVM, "User Guide for NVPTX Back-end: Syncscopes"; PTX ISA, "Memory
//! Consistency Model: Scope".

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::llvm_sys::core::{LLVMGetSyncScopeID, LLVMIsAtomic, LLVMSetAtomicSyncScopeID};
use inkwell::module::Module;
use inkwell::values::{AsValueRef, CallSiteValue, InstructionValue};

use crate::llvm;

const MARKER: &str = "__lanewise_atomic_scope";

/// LLVM's name of each scope that `lanewise-std` numbers. The empty name is the system.
const SCOPES: [&str; 3] = ["", "device", "block"];

/// Handles every marker call.
pub(crate) fn set(module: &Module<'_>) {
    let Some(marker) = module.get_function(MARKER) else {
        return;
    };
    let noinline = Attribute::get_named_enum_kind_id("noinline");
    for call in llvm::calls_of(marker) {
        // SAFETY: a `CallSiteValue` from a module's list of calls is an instruction.
        let instruction = unsafe { InstructionValue::new(call.as_value_ref()) };
        let scope = scope(call).unwrap_or_default();
        let parent = instruction.get_parent().and_then(|at| at.get_parent());
        if let Some(function) = parent {
            for at in llvm::instructions(function) {
                set_scope(module, at, scope);
            }
            function.remove_enum_attribute(AttributeLoc::Function, noinline);
            for caller in llvm::calls_of(function) {
                caller.remove_enum_attribute(AttributeLoc::Function, noinline);
            }
        }
        instruction.erase_from_basic_block();
    }
}

/// Returns the scope that a marker call names.
fn scope(call: CallSiteValue<'_>) -> Option<&'static str> {
    let number = llvm::constant_argument(call, 0)?;
    SCOPES.get(usize::try_from(number).ok()?).copied()
}

/// Sets the scope of an instruction, if it is atomic.
fn set_scope(module: &Module<'_>, instruction: InstructionValue<'_>, scope: &str) {
    let value = instruction.as_value_ref();
    // SAFETY: `value` is an instruction. Only atomic instructions get a scope, and it is a scope
    // of this context.
    unsafe {
        if LLVMIsAtomic(value) != 0 {
            let context = module.get_context().raw();
            let scope = LLVMGetSyncScopeID(context, scope.as_ptr().cast(), scope.len());
            LLVMSetAtomicSyncScopeID(value, scope);
        }
    }
}
