//! Puts off the checks of loaded indices to a loop's end.
//!
//! An index that the loop has loaded, as in `x[column[k]]`, can be checked only there. If the loop
//! does nothing but read and compute, the check may come late: the loop takes an index that is in
//! bounds in place of one that is not, remembers the largest, and goes on. If that one was not in
//! bounds, the copy of the loop with all checks runs from the beginning, and panics where the
//! source says. Without ways out in its middle, the body can be copied, and its loads wait for each
//! other no more.

use std::collections::{HashMap, HashSet};

use inkwell::llvm_sys::LLVMIntPredicate::*;
use inkwell::llvm_sys::LLVMOpcode;
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::{LLVMBuilderRef, LLVMValueRef};
use inkwell::values::CallSiteValue;

use super::range::{Ranges, is_integer};
use super::{Check, duplicate};
use crate::llvm::{self, Flow, Loop};
use crate::passes::code::loops;

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

/// How often the body is copied. Each copy waits for its index and then for what it points to, and
/// what is left of the iterations is not copied. spmv_csr_scalar on an H100 (driver 580.159.04,
/// 2026-11-27): 1.20 ms with four copies, 1.62 with eight.
const COPIES: u32 = 4;

/// The largest index that the loop has loaded for slices with the same last index.
struct Largest {
    last: LLVMValueRef,
    before: LLVMValueRef,
    after: LLVMValueRef,
}

/// Takes the checks out of the loop, of which `copied` has the copy with all checks. Minimum and
/// maximum are an instruction each, and need no predicates, of which a thread has seven: so ptxas
/// loads many indices before it needs the first.
pub(super) fn take_out(flow: &Flow, of: &Loop, late: &[Late], copied: &duplicate::Copied) {
    // SAFETY: the new instructions are put where what they use dominates them, and have the types
    // of what they take the place of. The blocks are those of a live function.
    unsafe {
        let (header, latch) = (flow.blocks[of.header], flow.blocks[of.latch]);
        let context = LLVMGetTypeContext(LLVMTypeOf(LLVMBasicBlockAsValue(header)));
        let builder = LLVMCreateBuilderInContext(context);
        let bit = LLVMInt1TypeInContext(context);
        let preheader = flow.blocks[of.preheader];
        let before_loop = LLVMGetBasicBlockTerminator(preheader);
        let mut lasts = HashMap::new();
        let mut all: Vec<Largest> = Vec::new();
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
            let is_signed = LLVMGetInstructionOpcode(*index) == LLVMOpcode::LLVMSExt;
            LLVMPositionBuilderBefore(builder, before_loop);
            let last = *lasts.entry((*length, ty, is_signed)).or_insert_with(|| {
                let length = match narrow {
                    Some(_) => {
                        let all = u64::MAX >> (64 - LLVMGetIntTypeWidth(ty));
                        let most = if is_signed { (all >> 1) + 1 } else { all };
                        let most = LLVMConstInt(LLVMTypeOf(*length), most, 0);
                        let length = smaller(builder, *length, most);
                        LLVMBuildTrunc(builder, length, ty, c"".as_ptr())
                    }
                    None => *length,
                };
                LLVMBuildSub(builder, length, LLVMConstInt(ty, 1, 0), c"".as_ptr())
            });
            let users = llvm::users(*index).into_iter().filter(|user| {
                let block = LLVMGetInstructionParent(*user);
                user != comparison && of.blocks.iter().any(|it| flow.blocks[*it] == block)
            });
            let users: Vec<_> = users.collect();
            LLVMPositionBuilderBefore(builder, LLVMGetNextInstruction(*index));
            let kept = smaller(builder, compared, last);
            let kept = match narrow {
                Some(_) => LLVMBuildZExt(builder, kept, LLVMTypeOf(*index), c"".as_ptr()),
                None => kept,
            };
            for user in users {
                for operand in 0..LLVMGetNumOperands(user).cast_unsigned() {
                    if LLVMGetOperand(user, operand) == *index {
                        LLVMSetOperand(user, operand, kept);
                    }
                }
            }
            if !all.iter().any(|it| it.last == last) {
                LLVMPositionBuilderBefore(builder, LLVMGetFirstInstruction(header));
                let before = LLVMBuildPhi(builder, ty, c"largest".as_ptr());
                all.push(Largest {
                    last,
                    before,
                    after: before,
                });
            }
            LLVMPositionBuilderBefore(builder, check.branch);
            for largest in all.iter_mut().filter(|it| it.last == last) {
                let sooner = largest.after;
                let is_larger = LLVMBuildICmp(builder, LLVMIntUGT, compared, sooner, c"".as_ptr());
                largest.after = LLVMBuildSelect(builder, is_larger, compared, sooner, c"".as_ptr());
            }
            check.succeeds();
        }

        // After the loop: to the copy if an index was wrong.
        let branch = LLVMGetBasicBlockTerminator(latch);
        loops::set_copies(branch, COPIES);
        let side = u32::from(LLVMGetSuccessor(branch, 0) == header);
        let exit = LLVMGetSuccessor(branch, side);
        let function = LLVMGetBasicBlockParent(latch);
        let after = LLVMAppendBasicBlockInContext(context, function, c"after".as_ptr());
        LLVMMoveBasicBlockAfter(after, latch);
        LLVMSetSuccessor(branch, side, after);
        LLVMPositionBuilderAtEnd(builder, after);
        let mut wrong = LLVMConstInt(bit, 0, 0);
        for largest in all {
            let zero = LLVMConstInt(LLVMTypeOf(largest.last), 0, 0);
            let mut values = [zero, largest.after];
            let mut blocks = [preheader, latch];
            LLVMAddIncoming(largest.before, values.as_mut_ptr(), blocks.as_mut_ptr(), 2);
            let (index, last) = (largest.after, largest.last);
            let is_wrong = LLVMBuildICmp(builder, LLVMIntUGT, index, last, c"".as_ptr());
            wrong = LLVMBuildOr(builder, wrong, is_wrong, c"is_wrong".as_ptr());
        }
        LLVMBuildCondBr(builder, wrong, copied.entry, exit);
        duplicate::rename(builder, exit, latch, after);
        LLVMDisposeBuilder(builder);
    }
}

/// The smaller of two unsigned numbers.
///
/// # Safety
/// Both are integers of one type, known where the builder is.
unsafe fn smaller(builder: LLVMBuilderRef, a: LLVMValueRef, b: LLVMValueRef) -> LLVMValueRef {
    // SAFETY: the caller guarantees it.
    unsafe {
        let is_smaller = LLVMBuildICmp(builder, LLVMIntULT, a, b, c"".as_ptr());
        LLVMBuildSelect(builder, is_smaller, a, b, c"".as_ptr())
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
