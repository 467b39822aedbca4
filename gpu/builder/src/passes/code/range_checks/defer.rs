//! Puts off the checks of loaded indices to a loop's end.
//!
//! An index that the loop has loaded, as in `x[column[k]]`, can be checked only there. If the loop
//! does nothing but read and compute, the check may come late: the loop takes an index that is in
//! bounds in place of one that is not, remembers that it did, and goes on. If it did, the copy of
//! the loop with all checks runs from the beginning, and panics where the source says. Without ways
//! out in its middle, the body can be copied, and its loads wait for each other no more.

use std::collections::HashSet;

use inkwell::llvm_sys::LLVMIntPredicate::*;
use inkwell::llvm_sys::LLVMOpcode;
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::LLVMValueRef;
use inkwell::values::CallSiteValue;

use super::range::{Ranges, is_integer};
use super::{Check, duplicate};
use crate::llvm::{self, Flow, Loop};

/// A check of an index against a length that is the same in every iteration.
pub(super) struct Late {
    check: Check,
    comparison: LLVMValueRef,
    index: LLVMValueRef,
    length: LLVMValueRef,
}

/// Returns the checks as ones that may come late, or nothing if one of them may not. The loop must
/// have only this number of ways out: those of all checks, and its end.
pub(super) fn all(
    flow: &Flow,
    of: &Loop,
    ranges: &mut Ranges<'_>,
    checks: Vec<Check>,
    ways_out: usize,
) -> Option<Vec<Late>> {
    let exits = of.blocks.iter().map(|it| &flow.successors[*it]);
    let leaving = exits.flatten().filter(|it| !of.blocks.contains(it)).count();
    // One way out is the loop's own end, in the latch.
    if leaving != ways_out {
        return None;
    }
    ranges.bounded()?;
    let late: Option<Vec<Late>> = checks
        .into_iter()
        .map(|check| late(flow, of, ranges, check))
        .collect();
    let late = late?;
    let indices: HashSet<_> = late.iter().map(|it| it.index).collect();
    let is_pure = flow
        .instructions(of)
        .all(|at| is_read_only(at, flow, of, &indices));
    is_pure.then_some(late)
}

fn late(flow: &Flow, of: &Loop, ranges: &mut Ranges<'_>, check: Check) -> Option<Late> {
    // SAFETY: the branch is conditional. Its condition is checked to be a comparison.
    unsafe {
        let block = LLVMGetInstructionParent(check.branch);
        let number = flow.blocks.iter().position(|it| *it == block)?;
        let comparison = LLVMGetCondition(check.branch);
        if !flow.dominates(number, of.latch)
            || LLVMIsAInstruction(comparison).is_null()
            || LLVMGetInstructionOpcode(comparison) != LLVMOpcode::LLVMICmp
            || LLVMGetInstructionParent(comparison) != block
        {
            return None;
        }
        let (a, b) = (LLVMGetOperand(comparison, 0), LLVMGetOperand(comparison, 1));
        let (index, length) = match (LLVMGetICmpPredicate(comparison), check.right) {
            (LLVMIntULT, true) | (LLVMIntUGE, false) => (a, b),
            (LLVMIntUGT, true) | (LLVMIntULE, false) => (b, a),
            _ => return None,
        };
        let is_loaded = is_integer(index) && ranges.is_fixed(length) && !ranges.is_fixed(index);
        if !is_loaded || !LLVMIsAPHINode(index).is_null() {
            return None;
        }
        // Something in bounds has to be there.
        ranges.not_zero(length);
        Some(Late {
            check,
            comparison,
            index,
            length,
        })
    }
}

/// Takes the checks out of the loop, of which `copied` has the copy with all checks.
pub(super) fn take_out(flow: &Flow, of: &Loop, late: &[Late], copied: &duplicate::Copied) {
    // SAFETY: the new instructions are put where what they use dominates them, and have the types
    // of what they take the place of. The blocks are those of a live function.
    unsafe {
        let (header, latch) = (flow.blocks[of.header], flow.blocks[of.latch]);
        let context = LLVMGetTypeContext(LLVMTypeOf(LLVMBasicBlockAsValue(header)));
        let builder = LLVMCreateBuilderInContext(context);
        let bit = LLVMInt1TypeInContext(context);
        LLVMPositionBuilderBefore(builder, LLVMGetFirstInstruction(header));
        let before = LLVMBuildPhi(builder, bit, c"is_wrong".as_ptr());
        let mut wrong = before;
        for Late {
            check,
            comparison,
            index,
            length,
        } in late
        {
            // A number that was widened is compared as it was: in half of the registers.
            let narrow = widened(*index);
            let compared = narrow.unwrap_or(*index);
            let ty = LLVMTypeOf(compared);
            let preheader = flow.blocks[of.preheader];
            LLVMPositionBuilderBefore(builder, LLVMGetBasicBlockTerminator(preheader));
            let length = match narrow {
                Some(_) => {
                    let all = u64::MAX >> (64 - LLVMGetIntTypeWidth(ty));
                    let is_signed = LLVMGetInstructionOpcode(*index) == LLVMOpcode::LLVMSExt;
                    let most = if is_signed { (all >> 1) + 1 } else { all };
                    let most = LLVMConstInt(LLVMTypeOf(*length), most, 0);
                    let fits = LLVMBuildICmp(builder, LLVMIntULT, *length, most, c"".as_ptr());
                    let length = LLVMBuildSelect(builder, fits, *length, most, c"".as_ptr());
                    LLVMBuildTrunc(builder, length, ty, c"".as_ptr())
                }
                None => *length,
            };
            let one = LLVMConstInt(ty, 1, 0);
            let last = LLVMBuildSub(builder, length, one, c"".as_ptr());
            LLVMPositionBuilderBefore(builder, LLVMGetNextInstruction(*index));
            let is_right = LLVMBuildICmp(builder, LLVMIntULT, compared, length, c"".as_ptr());
            let kept = LLVMBuildSelect(builder, is_right, compared, last, c"".as_ptr());
            let kept = match narrow {
                Some(_) => LLVMBuildZExt(builder, kept, LLVMTypeOf(*index), c"".as_ptr()),
                None => kept,
            };
            let users = llvm::users(*index).into_iter().filter(|user| {
                let is_own = [is_right, kept, *comparison].contains(user);
                let block = LLVMGetInstructionParent(*user);
                !is_own && of.blocks.iter().any(|it| flow.blocks[*it] == block)
            });
            for user in users {
                for operand in 0..LLVMGetNumOperands(user).cast_unsigned() {
                    if LLVMGetOperand(user, operand) == *index {
                        LLVMSetOperand(user, operand, kept);
                    }
                }
            }
            LLVMPositionBuilderBefore(builder, check.branch);
            let is_wrong = LLVMBuildNot(builder, is_right, c"".as_ptr());
            wrong = LLVMBuildOr(builder, wrong, is_wrong, c"is_wrong".as_ptr());
            LLVMSetCondition(check.branch, LLVMConstInt(bit, check.right.into(), 0));
        }
        let mut values = [LLVMConstInt(bit, 0, 0), wrong];
        let mut blocks = [flow.blocks[of.preheader], latch];
        LLVMAddIncoming(before, values.as_mut_ptr(), blocks.as_mut_ptr(), 2);

        // After the loop: to the copy if an index was wrong.
        let branch = LLVMGetBasicBlockTerminator(latch);
        let side = u32::from(LLVMGetSuccessor(branch, 0) == header);
        let exit = LLVMGetSuccessor(branch, side);
        let function = LLVMGetBasicBlockParent(latch);
        let after = LLVMAppendBasicBlockInContext(context, function, c"after".as_ptr());
        LLVMMoveBasicBlockAfter(after, latch);
        LLVMSetSuccessor(branch, side, after);
        LLVMPositionBuilderAtEnd(builder, after);
        LLVMBuildCondBr(builder, wrong, copied.entry, exit);
        duplicate::rename(builder, exit, latch, after);
        LLVMDisposeBuilder(builder);
    }
}

/// The narrower number that an index was made from.
fn widened(index: LLVMValueRef) -> Option<LLVMValueRef> {
    // SAFETY: the value is checked to be a conversion, which has one operand.
    unsafe {
        let is_conversion = !LLVMIsAInstruction(index).is_null()
            && matches!(
                LLVMGetInstructionOpcode(index),
                LLVMOpcode::LLVMSExt | LLVMOpcode::LLVMZExt
            );
        is_conversion.then(|| LLVMGetOperand(index, 0))
    }
}

/// Returns whether an instruction changes nothing, and reads from no address that depends on what
/// the loop has loaded but for the checked `indices`.
fn is_read_only(
    instruction: LLVMValueRef,
    flow: &Flow,
    of: &Loop,
    indices: &HashSet<LLVMValueRef>,
) -> bool {
    use LLVMOpcode::*;
    // SAFETY: the value is an instruction, and what is asked of it fits its kind.
    unsafe {
        match LLVMGetInstructionOpcode(instruction) {
            LLVMLoad => {
                let is_plain = LLVMGetVolatile(instruction) == 0
                    && LLVMGetOrdering(instruction)
                        == inkwell::llvm_sys::LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic;
                let mut seen = HashSet::new();
                is_plain && is_known(LLVMGetOperand(instruction, 0), flow, of, indices, &mut seen)
            }
            LLVMCall => llvm::callee(CallSiteValue::new(instruction)).is_some_and(|callee| {
                let marks = ["llvm.assume", "llvm.experimental.noalias.scope.decl"];
                llvm::is_pure_intrinsic(callee) || marks.contains(&llvm::name(callee).as_str())
            }),
            LLVMStore | LLVMAtomicRMW | LLVMAtomicCmpXchg | LLVMFence | LLVMInvoke | LLVMCallBr
            | LLVMVAArg | LLVMAlloca | LLVMUDiv | LLVMSDiv | LLVMURem | LLVMSRem => false,
            _ => true,
        }
    }
}

/// Returns whether a value does not depend on what the loop loads, but for the checked indices.
fn is_known(
    value: LLVMValueRef,
    flow: &Flow,
    of: &Loop,
    indices: &HashSet<LLVMValueRef>,
    seen: &mut HashSet<LLVMValueRef>,
) -> bool {
    // SAFETY: the value is checked to be an instruction of the loop; operands are below their
    // number.
    unsafe {
        if LLVMIsAInstruction(value).is_null() || indices.contains(&value) || !seen.insert(value) {
            return true;
        }
        let block = LLVMGetInstructionParent(value);
        if !of.blocks.iter().any(|it| flow.blocks[*it] == block) {
            return true;
        }
        let is_loaded = matches!(
            LLVMGetInstructionOpcode(value),
            LLVMOpcode::LLVMLoad | LLVMOpcode::LLVMCall
        );
        !is_loaded
            && (0..LLVMGetNumOperands(value).cast_unsigned())
                .all(|index| is_known(LLVMGetOperand(value, index), flow, of, indices, seen))
    }
}
