//! Counts the iterations of a loop in 32 bits where its bounds are constants.
//!
//! Indices are `usize`, and so are LLVM's counters of them: a loop over a tile of 128 elements adds
//! and compares with 64 bits, which are two instructions each on a GPU, and two registers. nvcc
//! counts with an `int`. If a counter begins with a constant, grows by one, and ends the loop when
//! it is equal to one, then all its values are known, and 32 bits are enough if the last one fits.
//! The number that addresses are computed from is the same, widened.

use inkwell::llvm_sys::LLVMIntPredicate::*;
use inkwell::llvm_sys::LLVMOpcode;
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::LLVMValueRef;
use inkwell::module::Module;
use inkwell::values::{AsValueRef, InstructionOpcode};

use crate::llvm;

/// A counter of 64 bits with its next value and the comparison that ends the loop.
struct Counter {
    phi: LLVMValueRef,
    next: LLVMValueRef,
    comparison: LLVMValueRef,
    /// Whether the first value comes with the first entry of the phi.
    starts_first: bool,
    start: u64,
    step: u64,
    end: u64,
}

/// Narrows the counters of all loops. It must run after their bodies have been copied.
pub(crate) fn narrow(module: &Module<'_>) {
    let instructions: Vec<_> = module
        .get_functions()
        .flat_map(llvm::instructions)
        .collect();
    for at in instructions {
        if at.get_opcode() == InstructionOpcode::Phi
            && let Some(counter) = counter(at.as_value_ref())
        {
            replace(&counter);
        }
    }
}

fn counter(phi: LLVMValueRef) -> Option<Counter> {
    // SAFETY: the value is a phi; what is asked of other values fits what they were found to be.
    unsafe {
        let context = LLVMGetTypeContext(LLVMTypeOf(phi));
        if LLVMTypeOf(phi) != LLVMInt64TypeInContext(context) || LLVMCountIncoming(phi) != 2 {
            return None;
        }
        let incoming = [0, 1].map(|it| LLVMGetIncomingValue(phi, it));
        let starts_first = llvm::integer(incoming[0]).is_some();
        let next = incoming[usize::from(starts_first)];
        let start = llvm::integer(incoming[usize::from(!starts_first)])?;
        let is_sum = !LLVMIsAInstruction(next).is_null()
            && LLVMGetInstructionOpcode(next) == LLVMOpcode::LLVMAdd
            && LLVMGetOperand(next, 0) == phi;
        let step = is_sum.then(|| llvm::integer(LLVMGetOperand(next, 1)))??;
        // The loop goes on from the block that the next value comes from, by its branch.
        let latch = LLVMGetIncomingBlock(phi, u32::from(starts_first));
        let branch = LLVMGetBasicBlockTerminator(latch);
        if LLVMGetInstructionOpcode(branch) != LLVMOpcode::LLVMBr
            || LLVMGetNumSuccessors(branch) != 2
        {
            return None;
        }
        let comparison = LLVMGetCondition(branch);
        let is_comparison = !LLVMIsAInstruction(comparison).is_null()
            && LLVMGetInstructionOpcode(comparison) == LLVMOpcode::LLVMICmp
            && LLVMGetOperand(comparison, 0) == next;
        let end = is_comparison.then(|| llvm::integer(LLVMGetOperand(comparison, 1)))??;
        let header = LLVMGetInstructionParent(phi);
        let goes_on = u32::from(LLVMGetICmpPredicate(comparison) == LLVMIntEQ);
        let ends_where_equal = matches!(LLVMGetICmpPredicate(comparison), LLVMIntEQ | LLVMIntNE)
            && LLVMGetSuccessor(branch, goes_on) == header
            && LLVMGetSuccessor(branch, 1 - goes_on) != header;
        let reaches_it = step > 0 && start < end && (end - start) % step == 0;
        let fits = end <= i32::MAX as u64;
        (ends_where_equal && reaches_it && fits).then_some(Counter {
            phi,
            next,
            comparison,
            starts_first,
            start,
            step,
            end,
        })
    }
}

fn replace(of: &Counter) {
    // SAFETY: the new values are put beside those that they take the place of, and have their
    // numbers. The old counter is left without a use other than its own next value.
    unsafe {
        let context = LLVMGetTypeContext(LLVMTypeOf(of.phi));
        let (narrow, wide) = (LLVMInt32TypeInContext(context), LLVMTypeOf(of.phi));
        let builder = LLVMCreateBuilderInContext(context);
        LLVMPositionBuilderBefore(builder, of.phi);
        let phi = LLVMBuildPhi(builder, narrow, c"".as_ptr());
        LLVMPositionBuilderBefore(builder, of.next);
        let step = LLVMConstInt(narrow, of.step, 0);
        let next = LLVMBuildNUWAdd(builder, phi, step, c"".as_ptr());
        LLVMSetNSW(next, 1);
        let start = LLVMConstInt(narrow, of.start, 0);
        let mut values = if of.starts_first {
            [start, next]
        } else {
            [next, start]
        };
        let mut blocks = [0, 1].map(|it| LLVMGetIncomingBlock(of.phi, it));
        LLVMAddIncoming(phi, values.as_mut_ptr(), blocks.as_mut_ptr(), 2);
        LLVMSetOperand(of.comparison, 0, next);
        LLVMSetOperand(of.comparison, 1, LLVMConstInt(narrow, of.end, 0));
        let mut first = LLVMGetFirstInstruction(LLVMGetInstructionParent(of.phi));
        while !LLVMIsAPHINode(first).is_null() {
            first = LLVMGetNextInstruction(first);
        }
        for (old, new, before) in [(of.phi, phi, first), (of.next, next, of.next)] {
            LLVMPositionBuilderBefore(builder, before);
            LLVMSetCurrentDebugLocation2(builder, std::ptr::null_mut());
            let widened = LLVMBuildZExt(builder, new, wide, c"".as_ptr());
            for user in llvm::users(old) {
                if user == of.phi || user == of.next {
                    continue;
                }
                for index in 0..LLVMGetNumOperands(user).cast_unsigned() {
                    if LLVMGetOperand(user, index) == old {
                        LLVMSetOperand(user, index, widened);
                    }
                }
            }
        }
        LLVMDisposeBuilder(builder);
    }
}
