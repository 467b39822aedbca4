//! Steps from one index to another: by one, or by a number that a coordinate is multiplied by.

use inkwell::llvm_sys::LLVMOpcode;
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::LLVMValueRef;

use super::numbers::{is_same_for_all, short};
use crate::llvm;

/// An index, and how far another one is above or below it.
pub(super) enum Step {
    Up(LLVMValueRef, By),
    Down(LLVMValueRef, By),
}

/// How far one index is from another.
#[derive(Clone, Copy)]
pub(super) enum By {
    One,
    Number(LLVMValueRef),
}

impl By {
    /// Returns whether it is this number.
    pub(super) fn is(self, number: LLVMValueRef) -> bool {
        match self {
            By::One => llvm::integer(number) == Some(1),
            By::Number(own) => is_same(own, number),
        }
    }

    /// What a factor has to be multiplied by.
    pub(super) fn divided(self, factor: LLVMValueRef) -> Option<By> {
        let By::Number(own) = self else {
            return None;
        };
        if is_same(own, factor) {
            return Some(By::One);
        }
        match operands(own)? {
            (LLVMOpcode::LLVMMul, [a, b]) if is_same(b, factor) => Some(By::Number(a)),
            (LLVMOpcode::LLVMMul, [a, b]) if is_same(a, factor) => Some(By::Number(b)),
            _ => None,
        }
    }
}

/// The step from an index that an index is computed from. What is subtracted must be the same for
/// all threads, or a number that is no instruction's.
pub(super) fn step(index: LLVMValueRef) -> Option<Step> {
    // SAFETY: the value is checked to be a sum or a difference, which has two operands.
    unsafe {
        if LLVMIsAInstruction(index).is_null() {
            return None;
        }
        let opcode = LLVMGetInstructionOpcode(index);
        if !matches!(opcode, LLVMOpcode::LLVMAdd | LLVMOpcode::LLVMSub) {
            return None;
        }
        let (a, b) = (LLVMGetOperand(index, 0), LLVMGetOperand(index, 1));
        let constant = (!LLVMIsAConstantInt(b).is_null()).then(|| LLVMConstIntGetSExtValue(b));
        match (opcode, constant) {
            (LLVMOpcode::LLVMAdd, Some(1)) => Some(Step::Up(a, By::One)),
            (LLVMOpcode::LLVMAdd, Some(-1)) | (LLVMOpcode::LLVMSub, Some(1)) => {
                Some(Step::Down(a, By::One))
            }
            (_, Some(_)) => None,
            (LLVMOpcode::LLVMSub, None) => Some(Step::Down(a, By::Number(b))),
            _ if is_same_for_all(a) => Some(Step::Up(b, By::Number(a))),
            _ => Some(Step::Up(a, By::Number(b))),
        }
    }
}

/// The operands of a sum or a product; of an extension, twice what is extended.
pub(super) fn operands(of: LLVMValueRef) -> Option<(LLVMOpcode, [LLVMValueRef; 2])> {
    // SAFETY: the value is checked to be an instruction with so many operands.
    unsafe {
        if LLVMIsAInstruction(of).is_null() {
            return None;
        }
        let operand = |index| LLVMGetOperand(of, index);
        let opcode = LLVMGetInstructionOpcode(of);
        match opcode {
            LLVMOpcode::LLVMAdd | LLVMOpcode::LLVMMul => Some((opcode, [0, 1].map(operand))),
            LLVMOpcode::LLVMZExt => Some((opcode, [operand(0), operand(0)])),
            _ => None,
        }
    }
}

/// Returns whether two values are one number, perhaps with different widths.
pub(super) fn is_same(a: LLVMValueRef, b: LLVMValueRef) -> bool {
    let plain = |it| short(it).unwrap_or(it);
    plain(a) == plain(b)
}
