//! Leaves one end to the loop over `(a..=b).step_by(s)`, so that its body can be copied.
//!
//! The range keeps the number after an element, and the loop ends where the step passes the largest
//! number of the type, or the next element is above `b`. If `a` and `b` were converted from fewer
//! bits, the first never happens, since no element is above `b`. LLVM would have to see it from one
//! iteration to the next. Here, the next element becomes the sum of an element and the step.

use inkwell::llvm_sys::LLVMIntPredicate::LLVMIntUGT;
use inkwell::llvm_sys::LLVMOpcode::{self, LLVMAdd, LLVMAnd, LLVMICmp, LLVMOr, LLVMZExt};
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::LLVMValueRef;

use super::range::Ranges;
use crate::llvm::{self, Flow, Loop};

/// Takes away the end that is never reached.
///
/// # Safety
/// The loop is one of a live function.
pub(super) unsafe fn one_end(flow: &Flow, of: &Loop, ranges: &Ranges<'_>) -> Option<()> {
    // SAFETY: the caller guarantees it. What is asked of a value fits its kind, which is checked.
    unsafe {
        let branch = LLVMGetBasicBlockTerminator(flow.blocks[of.latch]);
        let goes_on = LLVMGetNumSuccessors(branch) == 2
            && LLVMGetSuccessor(branch, 1) == flow.blocks[of.header];
        let either = goes_on.then(|| LLVMGetCondition(branch))?;
        let [a, b] = operands(either, LLVMOr)?;
        let (after, largest, end) = [(a, b), (b, a)].into_iter().find_map(|(passes, end)| {
            let [after, largest] = above(passes)?;
            Some((after, llvm::integer(largest)?, end))
        })?;
        // `after + less` is the next element.
        let [next, last] = above(end)?;
        let [from, less] = operands(next, LLVMAdd)?;
        let less = llvm::integer(less)?;
        let (start, grown) = ranges.entries(after)?;
        let [of_after, step] = operands(grown, LLVMAdd)?;
        let [first, one] = operands(start, LLVMAdd)?;
        let is_range = (from, of_after) == (after, after)
            && llvm::integer(one) == Some(1)
            && llvm::integer(step) == less.checked_add(1)
            && largest == !less
            && less < u64::MAX / 2;
        if !is_range || !has_fewer_bits(first) || !has_fewer_bits(last) {
            return None;
        }
        let mut phis = flow.instructions_of(of.header);
        let element = phis.find(|phi| ranges.entries(*phi) == Some((first, next)))?;
        let builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(next)));
        LLVMPositionBuilderBefore(builder, next);
        let sum = LLVMBuildNUWAdd(builder, element, step, c"".as_ptr());
        LLVMDisposeBuilder(builder);
        LLVMReplaceAllUsesWith(next, sum);
        LLVMReplaceAllUsesWith(either, end);
        Some(())
    }
}

/// Returns whether the highest bit of a number is zero, as it was converted or masked.
unsafe fn has_fewer_bits(number: LLVMValueRef) -> bool {
    // SAFETY: the caller guarantees that the value is live.
    unsafe {
        llvm::integer(number).is_some_and(|it| it <= u64::MAX / 2)
            || operation(number, LLVMZExt)
            || operands(number, LLVMAnd)
                .is_some_and(|all| all.map(|it| has_fewer_bits(it)) != [false; 2])
    }
}

/// The two numbers of which a comparison asks whether the first is above the second.
unsafe fn above(comparison: LLVMValueRef) -> Option<[LLVMValueRef; 2]> {
    // SAFETY: the caller guarantees that the value is live.
    unsafe {
        let both = operands(comparison, LLVMICmp)?;
        (LLVMGetICmpPredicate(comparison) == LLVMIntUGT).then_some(both)
    }
}

/// The operands of an operation of this kind, which has two.
unsafe fn operands(value: LLVMValueRef, kind: LLVMOpcode) -> Option<[LLVMValueRef; 2]> {
    // SAFETY: the caller guarantees that the value is live.
    unsafe { operation(value, kind).then(|| [0, 1].map(|index| LLVMGetOperand(value, index))) }
}

unsafe fn operation(value: LLVMValueRef, kind: LLVMOpcode) -> bool {
    // SAFETY: the caller guarantees that the value is live.
    unsafe { !LLVMIsAInstruction(value).is_null() && LLVMGetInstructionOpcode(value) == kind }
}
