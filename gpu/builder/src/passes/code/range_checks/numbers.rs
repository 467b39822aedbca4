//! What a number says of itself: its bits, what it was extended from, and whether all threads of a
//! block have it.

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::LLVMValueRef;
use inkwell::llvm_sys::{LLVMOpcode, LLVMTypeKind};
use inkwell::values::CallSiteValue;

use crate::llvm;

/// What a number of 64 bits was extended from, if it has 32.
pub(super) fn short(wide: LLVMValueRef) -> Option<LLVMValueRef> {
    // SAFETY: the value is checked to be an extension, which has an operand.
    unsafe {
        let is_extended = !LLVMIsAInstruction(wide).is_null()
            && LLVMGetInstructionOpcode(wide) == LLVMOpcode::LLVMZExt;
        let number = is_extended.then(|| LLVMGetOperand(wide, 0))?;
        (width(number)? == 32).then_some(number)
    }
}

/// The bits of a number, if they are 32 or 64.
pub(super) fn width(number: LLVMValueRef) -> Option<u32> {
    // SAFETY: every value has a type; only a type of integers is asked for its width.
    unsafe {
        let ty = LLVMTypeOf(number);
        let is_integer = LLVMGetTypeKind(ty) == LLVMTypeKind::LLVMIntegerTypeKind;
        let bits = is_integer.then(|| LLVMGetIntTypeWidth(ty))?;
        matches!(bits, 32 | 64).then_some(bits)
    }
}

/// Returns whether a number is not negative, and all threads of a block are known to have it.
pub(super) fn is_same_for_all(number: LLVMValueRef) -> bool {
    use LLVMOpcode::*;
    // SAFETY: the value is checked to be an instruction; operands are below their number.
    unsafe {
        if let Some(constant) = llvm::integer(number) {
            return constant <= i32::MAX as u64;
        }
        if LLVMIsAInstruction(number).is_null() {
            return !LLVMIsAArgument(number).is_null();
        }
        match LLVMGetInstructionOpcode(number) {
            // The low half of a number.
            LLVMAnd if llvm::integer(LLVMGetOperand(number, 1)) == Some(u32::MAX.into()) => {
                is_same_for_all(LLVMGetOperand(number, 0))
            }
            LLVMAdd | LLVMMul | LLVMAnd | LLVMLShr | LLVMTrunc | LLVMZExt | LLVMSExt
            | LLVMFreeze => (0..LLVMGetNumOperands(number).cast_unsigned())
                .all(|it| is_same_for_all(LLVMGetOperand(number, it))),
            LLVMCall => is_read(number, &["ntid", "ctaid", "nctaid"]),
            _ => false,
        }
    }
}

/// Returns whether a call reads one of these special registers.
pub(super) fn is_read(call: LLVMValueRef, registers: &[&str]) -> bool {
    // SAFETY: the caller's value is a call.
    let callee = llvm::callee(unsafe { CallSiteValue::new(call) });
    let name = callee.map(llvm::name).unwrap_or_default();
    let register = name.strip_prefix("llvm.nvvm.read.ptx.sreg.");
    register
        .and_then(|it| it.split('.').next())
        .is_some_and(|it| registers.contains(&it))
}
