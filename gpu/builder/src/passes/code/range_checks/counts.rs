//! Counts the iterations of a loop in 32 bits.
//!
//! A loop over indices counts with a `usize`, and so do the copies that are made of its body: an
//! addition and a comparison of 64 bits are two instructions each, and two registers. nvcc counts
//! with an `int`. If a loop is there twice, one more condition of the copy without checks is that
//! it has less than 2^32 iterations. Its addresses become pointers with steps (`loops`), so nothing
//! else needs the wide counter.

use inkwell::llvm_sys::LLVMIntPredicate::{LLVMIntEQ, LLVMIntNE};
use inkwell::llvm_sys::LLVMOpcode;
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::LLVMValueRef;

use super::Check;
use super::range::Ranges;
use crate::llvm::{self, Flow, Loop};

/// The number of operations that are looked through from a counter to an address.
const DEPTH: u32 = 6;

/// Requires that the number of iterations has 32 bits, and returns it, if only addresses need the
/// counter once the checks have been moved.
pub(super) fn of(
    flow: &Flow,
    doomed: &[bool],
    ranges: &mut Ranges<'_>,
    moved: &[Check],
) -> Option<LLVMValueRef> {
    let counter = ranges.counter()?;
    let is_needed = |user: LLVMValueRef| {
        // SAFETY: the users of an instruction are instructions, and have a block.
        let block = unsafe { LLVMGetInstructionParent(user) };
        let leads_to_panic = |at: usize| doomed[at] && flow.blocks[at] == block;
        let is_own = [counter.phi, counter.next].contains(&user) || ranges.ends_with(user);
        let is_moved = moved.iter().any(|check| check.branch == user);
        !is_own && !is_moved && !(0..doomed.len()).any(leads_to_panic)
    };
    let is_for_addresses = |value| is_for_addresses(ranges, value, &is_needed, DEPTH);
    if !is_for_addresses(counter.phi) || !is_for_addresses(counter.next) {
        return None;
    }
    ranges.attempt(Ranges::short_count)
}

/// Returns whether those users of a value that need it are addresses in the loop.
fn is_for_addresses(
    ranges: &Ranges<'_>,
    value: LLVMValueRef,
    is_needed: &impl Fn(LLVMValueRef) -> bool,
    depth: u32,
) -> bool {
    use LLVMOpcode::*;
    let mut users = llvm::users(value).into_iter();
    depth > 0
        && users.all(|user| {
            // SAFETY: the users of an instruction are instructions.
            let opcode = unsafe { LLVMGetInstructionOpcode(user) };
            !is_needed(user)
                || !ranges.is_fixed(user)
                    && match opcode {
                        LLVMGetElementPtr => true,
                        LLVMAdd | LLVMSub | LLVMMul | LLVMShl | LLVMOr | LLVMAnd | LLVMICmp => {
                            is_for_addresses(ranges, user, is_needed, depth - 1)
                        }
                        _ => false,
                    }
        })
}

/// Lets the loop end after `count` iterations, by a counter of its own.
pub(super) fn set(flow: &Flow, of: &Loop, count: LLVMValueRef) {
    let [preheader, header, latch] =
        [of.preheader, of.header, of.latch].map(|block| flow.blocks[block]);
    // SAFETY: the loop has one way in and one way back, by a conditional branch of the latch. The
    // new instructions are put where a phi and a branch's condition belong.
    unsafe {
        let ty = LLVMTypeOf(count);
        let builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(ty));
        let branch = LLVMGetBasicBlockTerminator(latch);
        LLVMPositionBuilderBefore(builder, LLVMGetFirstInstruction(header));
        LLVMSetCurrentDebugLocation2(builder, std::ptr::null_mut());
        let phi = LLVMBuildPhi(builder, ty, c"".as_ptr());
        LLVMPositionBuilderBefore(builder, branch);
        let next = LLVMBuildNUWAdd(builder, phi, LLVMConstInt(ty, 1, 0), c"".as_ptr());
        let goes_on = LLVMGetSuccessor(branch, 0) == header;
        let predicate = if goes_on { LLVMIntNE } else { LLVMIntEQ };
        let condition = LLVMBuildICmp(builder, predicate, next, count, c"".as_ptr());
        let before = LLVMGetCondition(branch);
        LLVMSetCondition(branch, condition);
        if LLVMGetFirstUse(before).is_null() {
            // Otherwise, the loop still seems to need its end.
            LLVMInstructionEraseFromParent(before);
        }
        let (mut values, mut blocks) = ([LLVMConstInt(ty, 0, 0), next], [preheader, latch]);
        LLVMAddIncoming(phi, values.as_mut_ptr(), blocks.as_mut_ptr(), 2);
        LLVMDisposeBuilder(builder);
    }
}
