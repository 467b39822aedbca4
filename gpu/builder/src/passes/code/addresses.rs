//! Adds up the parts of an index before it is scaled, where one of them is a product.
//!
//! `image[y * width + x]` is one index in Rust. LLVM divides its address: it scales `y * width` and
//! adds it to the pointer, and then does the same with `x`, because that helps where one of the two
//! addresses is in use already. Otherwise it costs an addition of 64 bits, which are two
//! instructions, while the sum with a product is one instruction of the machine with it.

use inkwell::llvm_sys::LLVMOpcode;
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::LLVMValueRef;
use inkwell::module::Module;
use inkwell::values::AsValueRef;

use crate::llvm;

/// Joins the addresses of all functions. It must come after what recognises them.
pub(crate) fn join(module: &Module<'_>) {
    for function in module.get_functions() {
        for at in llvm::instructions(function) {
            // SAFETY: the instruction is one of a live function.
            unsafe { join_one(at.as_value_ref()) };
        }
    }
}

/// Joins an address with the one that it is computed from, if nothing else needs that one.
///
/// # Safety
/// The value is an instruction of a live function.
unsafe fn join_one(outer: LLVMValueRef) {
    // SAFETY: both are checked to be addresses of one index, which have two operands. The sum and
    // the new address are put where the outer one was, and the inner one is before it.
    unsafe {
        if !is_address(outer) {
            return;
        }
        let inner = LLVMGetOperand(outer, 0);
        let is_joined = !LLVMIsAInstruction(inner).is_null()
            && is_address(inner)
            && LLVMGetInstructionParent(inner) == LLVMGetInstructionParent(outer)
            && LLVMGetGEPSourceElementType(inner) == LLVMGetGEPSourceElementType(outer)
            && llvm::users(inner).len() == 1;
        if !is_joined {
            return;
        }
        let (first, second) = (LLVMGetOperand(inner, 1), LLVMGetOperand(outer, 1));
        // A product with a constant is one instruction with the pointer.
        let is_product = !LLVMIsAInstruction(first).is_null()
            && LLVMGetInstructionOpcode(first) == LLVMOpcode::LLVMMul
            && llvm::integer(LLVMGetOperand(first, 1)).is_none();
        if !is_product || llvm::integer(second).is_some() || LLVMTypeOf(first) != LLVMTypeOf(second)
        {
            return;
        }
        let builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(outer)));
        LLVMPositionBuilderBefore(builder, outer);
        let mut index = LLVMBuildAdd(builder, first, second, c"".as_ptr());
        let element = LLVMGetGEPSourceElementType(outer);
        let pointer = LLVMGetOperand(inner, 0);
        let address = LLVMBuildGEP2(builder, element, pointer, &mut index, 1, c"".as_ptr());
        LLVMReplaceAllUsesWith(outer, address);
        LLVMInstructionEraseFromParent(outer);
        LLVMInstructionEraseFromParent(inner);
        LLVMDisposeBuilder(builder);
    }
}

/// Returns whether an instruction computes an address by one index.
///
/// # Safety
/// The value is an instruction of a live function.
unsafe fn is_address(at: LLVMValueRef) -> bool {
    // SAFETY: the caller guarantees it.
    unsafe {
        LLVMGetInstructionOpcode(at) == LLVMOpcode::LLVMGetElementPtr && LLVMGetNumOperands(at) == 2
    }
}
