//! Takes null out of addresses of fields: what comes from `Option<&mut T>` after it was tested.
//!
//! `let (Some(m), Some(v)) = (..)` tests both at once, and LLVM then keeps each pointer as a
//! selection between the element's address and null. It sees through that where the pointer itself
//! is loaded, and not where a field of it is. Such an address hides which parameter it belongs to:
//! loads stay behind stores, and four floats that are next to each other are loaded one by one.
//!
//! The address of a field at an offset other than 0, `inbounds`, is no valid value for null. So the
//! selection may be replaced by the other pointer.
//!
//! What is used after a branch on the selection's own condition is not null either, as in
//! `if let Some((vectors, _)) = ..`.
//!
//! Source: LLVM Language Reference, "getelementptr": `inbounds`.

use inkwell::llvm_sys::LLVMOpcode;
use inkwell::llvm_sys::core::{
    LLVMConstIntGetZExtValue, LLVMGetInstructionOpcode, LLVMGetInstructionParent,
    LLVMGetNumOperands, LLVMGetOperand, LLVMGetPointerAddressSpace, LLVMIsAConstantInt,
    LLVMIsAInstruction, LLVMIsAPHINode, LLVMIsInBounds, LLVMIsNull, LLVMSetOperand, LLVMTypeOf,
};
use inkwell::llvm_sys::prelude::LLVMValueRef;
use inkwell::module::Module;
use inkwell::values::{AsValueRef, FunctionValue, InstructionOpcode, InstructionValue};

use super::range_checks::conditions_before;
use crate::llvm::{self, Flow};

/// Replaces the selections in all functions. It must run after O3.
pub(crate) fn take_out(module: &Module<'_>) {
    for function in module.get_functions() {
        if function.count_basic_blocks() > 1 {
            take_out_after_tests(function);
        }
        for at in llvm::instructions(function) {
            if at.get_opcode() == InstructionOpcode::GetElementPtr {
                // SAFETY: the value is the address of a field, and its first operand a pointer of
                // the same type as what replaces it.
                unsafe {
                    let at = at.as_value_ref();
                    if let Some(pointer) = other_than_null(LLVMGetOperand(at, 0))
                        && is_beyond_its_base(at)
                    {
                        LLVMSetOperand(at, 0, pointer);
                    }
                }
            }
        }
    }
}

/// Replaces the selections where a branch before has tested what they select by.
fn take_out_after_tests(function: FunctionValue<'_>) {
    let is_selection = |at: &InstructionValue<'_>| at.get_opcode() == InstructionOpcode::Select;
    let selections: Vec<_> = llvm::instructions(function).filter(is_selection).collect();
    let pointers = selections
        .iter()
        .filter(|it| it.get_type().is_pointer_type());
    let pointers: Vec<_> = pointers.map(|it| it.as_value_ref()).collect();
    if pointers.is_empty() {
        return;
    }
    let flow = Flow::of(function);
    for selection in pointers {
        // SAFETY: a selection has three operands, and its users are instructions, each in a block.
        // Where the condition has the value, the selection is the pointer that takes its place.
        unsafe {
            let Some(pointer) = other_than_null(selection) else {
                continue;
            };
            let test = (
                LLVMGetOperand(selection, 0),
                LLVMGetOperand(selection, 1) == pointer,
            );
            for user in llvm::users(selection) {
                let block = LLVMGetInstructionParent(user);
                let block = flow.blocks.iter().position(|it| *it == block);
                let is_tested = LLVMIsAPHINode(user).is_null()
                    && block.is_some_and(|it| conditions_before(&flow, it).contains(&test));
                for index in 0..LLVMGetNumOperands(user).cast_unsigned() {
                    if is_tested && LLVMGetOperand(user, index) == selection {
                        LLVMSetOperand(user, index, pointer);
                    }
                }
            }
        }
    }
}

/// Returns the pointer that is selected unless it is null.
///
/// # Safety
/// The value is a pointer of a live module.
unsafe fn other_than_null(pointer: LLVMValueRef) -> Option<LLVMValueRef> {
    // SAFETY: the operands are those of a selection.
    unsafe {
        let is_selection = !LLVMIsAInstruction(pointer).is_null()
            && LLVMGetInstructionOpcode(pointer) == LLVMOpcode::LLVMSelect
            // In other spaces than the generic one, null is an address as any other.
            && LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)) == 0;
        if !is_selection {
            return None;
        }
        let [first, second] = [1, 2].map(|index| LLVMGetOperand(pointer, index));
        match [first, second].map(|it| LLVMIsNull(it) != 0) {
            [true, false] => Some(second),
            [false, true] => Some(first),
            _ => None,
        }
    }
}

/// Returns whether an address is at a constant offset other than 0 of an object that its base
/// points into. All indices are positive or 0, so that no two of them cancel out.
///
/// # Safety
/// The value is an address computation of a live module.
unsafe fn is_beyond_its_base(address: LLVMValueRef) -> bool {
    // SAFETY: operands are below their number, and only integers are asked for their value.
    unsafe {
        let count = LLVMGetNumOperands(address).cast_unsigned();
        let indices = (1..count).map(|index| {
            let index = LLVMGetOperand(address, index);
            let is_constant = !LLVMIsAConstantInt(index).is_null();
            is_constant.then(|| LLVMConstIntGetZExtValue(index).cast_signed())
        });
        let indices: Option<Vec<i64>> = indices.collect();
        LLVMIsInBounds(address) != 0
            && indices.is_some_and(|all| {
                all.iter().all(|index| *index >= 0) && all.iter().any(|index| *index > 0)
            })
    }
}
