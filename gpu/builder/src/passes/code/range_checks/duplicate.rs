//! Puts a copy of a loop or of a region beside it, and chooses between the two before they begin.

use std::collections::{HashMap, HashSet};
use std::ffi::CStr;

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::{LLVMBasicBlockRef, LLVMBuilderRef, LLVMContextRef, LLVMValueRef};
use inkwell::llvm_sys::{LLVMInlineAsmDialect, LLVMOpcode};

use crate::llvm::{self, Flow, Loop};

/// The copy of a loop.
pub(super) struct Copied {
    /// The block before the copy, which leads to it alone.
    pub(super) entry: LLVMBasicBlockRef,
    /// The blocks of the copy.
    pub(super) blocks: HashSet<LLVMBasicBlockRef>,
}

/// Copies a loop in the form that `loop-simplify` and `lcssa` give it. Where `original` holds
/// before the loop, the original runs, otherwise the copy.
pub(super) fn beside(flow: &Flow, of: &Loop, original: LLVMValueRef) -> Copied {
    // SAFETY: the blocks belong to one live function. The copy refers to values of the copy, or to
    // those that dominate the loop, and every block that follows the loop learns of its new
    // predecessors.
    unsafe {
        let header = flow.blocks[of.header];
        let context = LLVMGetTypeContext(LLVMTypeOf(LLVMBasicBlockAsValue(header)));
        let builder = LLVMCreateBuilderInContext(context);
        let function = LLVMGetBasicBlockParent(header);
        let entry = LLVMAppendBasicBlockInContext(context, function, c"checked".as_ptr());
        LLVMMoveBasicBlockAfter(entry, flow.blocks[of.latch]);
        let preheader = flow.blocks[of.preheader];
        let mut copy = Copy {
            blocks: HashMap::from([(preheader, entry)]),
            values: HashMap::new(),
        };
        let mut last = entry;
        for block in of.blocks.iter().map(|it| flow.blocks[*it]) {
            let name = LLVMGetBasicBlockName(block);
            let made = LLVMAppendBasicBlockInContext(context, function, name);
            LLVMMoveBasicBlockAfter(made, last);
            last = made;
            copy.blocks.insert(block, made);
        }
        let blocks: Vec<_> = of.blocks.iter().map(|it| flow.blocks[*it]).collect();
        for block in &blocks {
            copy.instructions(builder, *block);
        }
        for block in &blocks {
            copy.operands(*block);
            copy.exits(*block);
        }
        copy.hide_variables(builder, header);
        LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(preheader));
        LLVMPositionBuilderAtEnd(builder, preheader);
        LLVMBuildCondBr(builder, original, header, entry);
        LLVMPositionBuilderAtEnd(builder, entry);
        LLVMBuildBr(builder, copy.blocks[&header]);
        LLVMDisposeBuilder(builder);
        Copied {
            entry,
            blocks: copy.blocks.into_values().collect(),
        }
    }
}

/// So many sums are computed where the copy needs them: fewer hardly matter.
const MANY: usize = 8;

/// What is known of the copy of a region.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ends {
    /// It never leaves its blocks: an edge of it that would is not taken.
    InPanic,
    /// As the region does.
    AsRegion,
}

/// Copies `blocks` and what follows `mark` in its block, which leads to them. Where `fails` holds,
/// the copy runs. Returns the blocks of the copy, and the one that has what follows `mark` now.
///
/// # Safety
/// The blocks are live, and all edges to one of them that is not a panic come from the block of
/// `mark` and from each other. `fails` is computed before `mark`, which nothing uses. If the copy
/// ends as the region does, then what follows uses values of the blocks in phis alone.
pub(super) unsafe fn of_region(
    mark: LLVMValueRef,
    blocks: &[LLVMBasicBlockRef],
    fails: LLVMValueRef,
    ends: Ends,
) -> (HashSet<LLVMBasicBlockRef>, LLVMBasicBlockRef) {
    // SAFETY: the copy refers to values of the copy, or to those that dominate `start`'s end.
    unsafe {
        let start = LLVMGetInstructionParent(mark);
        let context = LLVMGetTypeContext(LLVMTypeOf(LLVMBasicBlockAsValue(start)));
        let builder = LLVMCreateBuilderInContext(context);
        let function = LLVMGetBasicBlockParent(start);
        let region = LLVMAppendBasicBlockInContext(context, function, c"region".as_ptr());
        LLVMMoveBasicBlockAfter(region, start);
        let end = LLVMGetBasicBlockTerminator(start);
        LLVMPositionBuilderAtEnd(builder, region);
        let mut next = LLVMGetNextInstruction(mark);
        while !next.is_null() {
            let at = next;
            next = LLVMGetNextInstruction(at);
            LLVMInstructionRemoveFromParent(at);
            LLVMInsertIntoBuilder(builder, at);
        }
        LLVMInstructionEraseFromParent(mark);
        for index in 0..LLVMGetNumSuccessors(end) {
            rename(builder, LLVMGetSuccessor(end, index), start, region);
        }
        let mut copy = Copy {
            blocks: HashMap::new(),
            values: HashMap::new(),
        };
        let all: Vec<_> = [region].iter().chain(blocks).copied().collect();
        for block in &all {
            let made = LLVMAppendBasicBlockInContext(context, function, c"checked".as_ptr());
            copy.blocks.insert(*block, made);
        }
        for block in &all {
            copy.instructions(builder, *block);
        }
        for block in &all {
            copy.operands(*block);
        }
        let mut made: HashSet<_> = copy.blocks.values().copied().collect();
        match ends {
            Ends::AsRegion => all.iter().for_each(|block| copy.exits(*block)),
            Ends::InPanic => {
                copy.add_late(builder, &all);
                made.insert(end_in_panic(builder, &made));
            }
        }
        LLVMPositionBuilderAtEnd(builder, start);
        let branch = LLVMBuildCondBr(builder, fails, copy.blocks[&region], region);
        hardly_ever(context, branch);
        LLVMDisposeBuilder(builder);
        (made, region)
    }
}

/// Lets no edge leave the blocks. Returns the block to which those that would lead now.
///
/// # Safety
/// The blocks belong to one live function, and none of the edges is taken.
unsafe fn end_in_panic(
    builder: LLVMBuilderRef,
    blocks: &HashSet<LLVMBasicBlockRef>,
) -> LLVMBasicBlockRef {
    // SAFETY: the caller guarantees it. No phi names an edge that is changed, because the blocks
    // are new.
    unsafe {
        let start = LLVMGetInsertBlock(builder);
        let context = LLVMGetBuilderContext(builder);
        let function = LLVMGetBasicBlockParent(start);
        let nowhere = LLVMAppendBasicBlockInContext(context, function, c"panicked".as_ptr());
        LLVMPositionBuilderAtEnd(builder, nowhere);
        LLVMBuildUnreachable(builder);
        for block in blocks {
            let last = LLVMGetBasicBlockTerminator(*block);
            if LLVMGetInstructionOpcode(last) == LLVMOpcode::LLVMRet {
                LLVMInstructionEraseFromParent(last);
                LLVMPositionBuilderAtEnd(builder, *block);
                LLVMBuildUnreachable(builder);
                continue;
            }
            for index in 0..LLVMGetNumSuccessors(last) {
                if !blocks.contains(&LLVMGetSuccessor(last, index)) {
                    LLVMSetSuccessor(last, index, nowhere);
                }
            }
        }
        nowhere
    }
}

/// Makes the phis of a block name `to` where they named `from`.
///
/// # Safety
/// The blocks belong to one function, and `to` leads to the block as `from` did.
pub(super) unsafe fn rename(
    builder: LLVMBuilderRef,
    block: LLVMBasicBlockRef,
    from: LLVMBasicBlockRef,
    to: LLVMBasicBlockRef,
) {
    // SAFETY: the caller guarantees it.
    unsafe { change_phis(builder, block, |at| Some(if at == from { to } else { at })) }
}

/// Makes the phis of a block name other blocks, or no block, in the place of those that they named.
///
/// # Safety
/// The block's predecessors are those that the phis then name.
unsafe fn change_phis(
    builder: LLVMBuilderRef,
    block: LLVMBasicBlockRef,
    change: impl Fn(LLVMBasicBlockRef) -> Option<LLVMBasicBlockRef>,
) {
    // SAFETY: each new phi has the entries of the old one, which nothing uses when it is erased.
    unsafe {
        let mut at = LLVMGetFirstInstruction(block);
        while !LLVMIsAPHINode(at).is_null() {
            LLVMPositionBuilderBefore(builder, at);
            let made = LLVMBuildPhi(builder, LLVMTypeOf(at), c"".as_ptr());
            for index in 0..LLVMCountIncoming(at) {
                let mut value = LLVMGetIncomingValue(at, index);
                if let Some(mut incoming) = change(LLVMGetIncomingBlock(at, index)) {
                    LLVMAddIncoming(made, &mut value, &mut incoming, 1);
                }
            }
            let next = LLVMGetNextInstruction(at);
            LLVMReplaceAllUsesWith(at, made);
            LLVMInstructionEraseFromParent(at);
            at = next;
        }
    }
}

/// Lets a conditional branch always go where it goes if its condition has this value.
///
/// # Safety
/// The branch is one of a live function. Its other way leads to a block that has more predecessors.
pub(super) unsafe fn always(branch: LLVMValueRef, value: bool) {
    // SAFETY: the caller guarantees it. The first way is the one for `true`.
    unsafe {
        let block = LLVMGetInstructionParent(branch);
        let [to, other] = [!value, value].map(|way| LLVMGetSuccessor(branch, way.into()));
        let builder =
            LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(LLVMGetCondition(branch))));
        LLVMPositionBuilderBefore(builder, branch);
        LLVMBuildBr(builder, to);
        LLVMInstructionEraseFromParent(branch);
        if to != other {
            change_phis(builder, other, |at| (at != block).then_some(at));
        }
        LLVMDisposeBuilder(builder);
    }
}

/// What the copy has for blocks and values of the loop.
struct Copy {
    blocks: HashMap<LLVMBasicBlockRef, LLVMBasicBlockRef>,
    values: HashMap<LLVMValueRef, LLVMValueRef>,
}

impl Copy {
    fn value(&self, of: LLVMValueRef) -> LLVMValueRef {
        self.values.get(&of).copied().unwrap_or(of)
    }

    fn block(&self, of: LLVMBasicBlockRef) -> LLVMBasicBlockRef {
        self.blocks.get(&of).copied().unwrap_or(of)
    }

    /// Copies the instructions of a block. They still refer to the loop, and phis to nothing.
    ///
    /// # Safety
    /// The block is one of the loop, and has no copy of its instructions yet.
    unsafe fn instructions(&mut self, builder: LLVMBuilderRef, block: LLVMBasicBlockRef) {
        // SAFETY: the loop's instructions are not changed, and the copies are new.
        unsafe {
            LLVMPositionBuilderAtEnd(builder, self.blocks[&block]);
            let mut at = LLVMGetFirstInstruction(block);
            while !at.is_null() {
                // LLVM's interface cannot change the blocks that a phi names.
                let made = if LLVMGetInstructionOpcode(at) == LLVMOpcode::LLVMPHI {
                    LLVMBuildPhi(builder, LLVMTypeOf(at), c"".as_ptr())
                } else {
                    let made = LLVMInstructionClone(at);
                    LLVMInsertIntoBuilder(builder, made);
                    made
                };
                self.values.insert(at, made);
                at = LLVMGetNextInstruction(at);
            }
        }
    }

    /// Makes the copied instructions of a block refer to the copy.
    ///
    /// # Safety
    /// All blocks of the loop have been copied.
    unsafe fn operands(&self, block: LLVMBasicBlockRef) {
        // SAFETY: operands and successors are below their numbers, and have the types of those that
        // they take the place of.
        unsafe {
            let mut at = LLVMGetFirstInstruction(block);
            while !at.is_null() {
                let made = self.values[&at];
                if LLVMGetInstructionOpcode(at) == LLVMOpcode::LLVMPHI {
                    for index in 0..LLVMCountIncoming(at) {
                        let mut value = self.value(LLVMGetIncomingValue(at, index));
                        // What is not copied does not lead to the copy.
                        let from = LLVMGetIncomingBlock(at, index);
                        if let Some(from) = self.blocks.get(&from) {
                            LLVMAddIncoming(made, &mut value, &mut from.clone(), 1);
                        }
                    }
                } else if LLVMGetInstructionOpcode(at) == LLVMOpcode::LLVMBr {
                    if LLVMGetNumSuccessors(made) > 1 {
                        LLVMSetOperand(made, 0, self.value(LLVMGetOperand(at, 0)));
                    }
                    for index in 0..LLVMGetNumSuccessors(made) {
                        LLVMSetSuccessor(made, index, self.block(LLVMGetSuccessor(at, index)));
                    }
                } else {
                    for index in 0..LLVMGetNumOperands(at).cast_unsigned() {
                        let operand = LLVMGetOperand(at, index);
                        if let Some(value) = self.values.get(&operand) {
                            LLVMSetOperand(made, index, *value);
                        }
                    }
                }
                at = LLVMGetNextInstruction(at);
            }
        }
    }

    /// Hides from the passes that follow that the copy's variables grow by a step. They would keep
    /// an address and an index for each access, and the copy, which hardly ever runs, would need
    /// more registers than the loop itself. Both have the same number in a kernel.
    ///
    /// # Safety
    /// All blocks of the loop have been copied, and `header` is the loop's.
    unsafe fn hide_variables(&self, builder: LLVMBuilderRef, header: LLVMBasicBlockRef) {
        // SAFETY: the variables are phis of the copied header, and each assembly gives its operand.
        unsafe {
            let mut phis = Vec::new();
            let mut at = LLVMGetFirstInstruction(self.blocks[&header]);
            while !LLVMIsAPHINode(at).is_null() {
                phis.push(at);
                at = LLVMGetNextInstruction(at);
            }
            LLVMPositionBuilderBefore(builder, at);
            for phi in phis {
                let steps = [0, 1].map(|index| LLVMGetIncomingValue(phi, index));
                let users: Vec<_> = llvm::users(phi)
                    .into_iter()
                    .filter(|user| !steps.contains(user) && LLVMIsAPHINode(*user).is_null())
                    .collect();
                let Some(hidden) = hidden(builder, phi) else {
                    continue;
                };
                for user in users {
                    for index in 0..LLVMGetNumOperands(user).cast_unsigned() {
                        if LLVMGetOperand(user, index) == phi {
                            LLVMSetOperand(user, index, hidden);
                        }
                    }
                }
            }
        }
    }

    /// Computes sums with a constant in the copy, where it uses or compares them, if they are many.
    /// An unrolled loop has such indices, each in a register from before the region on, and the
    /// region itself has them in its addresses.
    ///
    /// # Safety
    /// All of these blocks have been copied.
    unsafe fn add_late(&self, builder: LLVMBuilderRef, blocks: &[LLVMBasicBlockRef]) {
        // SAFETY: the operands of a phi are what comes from its blocks, and stay what they were.
        unsafe {
            let mut uses = Vec::new();
            for block in blocks {
                let mut at = LLVMGetFirstInstruction(*block);
                while !at.is_null() {
                    let made = self.values[&at];
                    let operands = 0..LLVMGetNumOperands(made).cast_unsigned();
                    uses.extend(operands.map(|index| (made, index)));
                    at = LLVMGetNextInstruction(at);
                }
            }
            uses.retain(|(made, index)| self.is_again(LLVMGetOperand(*made, *index)));
            let sums: HashSet<_> = uses.iter().map(|it| LLVMGetOperand(it.0, it.1)).collect();
            if sums.len() < MANY {
                return;
            }
            for (made, index) in uses {
                let before = if LLVMIsAPHINode(made).is_null() {
                    made
                } else {
                    LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(made, index))
                };
                LLVMPositionBuilderBefore(builder, before);
                if let Some(again) = self.again(builder, LLVMGetOperand(made, index)) {
                    LLVMSetOperand(made, index, again);
                }
            }
        }
    }

    /// Returns whether a value is a sum with a constant, or compares one, and is not of the copy.
    ///
    /// # Safety
    /// The value is one of a live function.
    unsafe fn is_again(&self, value: LLVMValueRef) -> bool {
        use LLVMOpcode::{LLVMAdd, LLVMICmp, LLVMOr};
        // SAFETY: the caller guarantees it. These instructions have two operands.
        unsafe {
            if LLVMIsAInstruction(value).is_null() {
                return false;
            }
            let block = LLVMGetInstructionParent(value);
            let operand = |it| LLVMGetOperand(value, it);
            !self.blocks.values().any(|it| *it == block)
                && match LLVMGetInstructionOpcode(value) {
                    LLVMAdd | LLVMOr => llvm::integer(operand(1)).is_some(),
                    LLVMICmp => self.is_again(operand(0)) || self.is_again(operand(1)),
                    _ => false,
                }
        }
    }

    /// Computes what [`Copy::is_again`] holds for, if its numbers have 32 or 64 bits.
    ///
    /// # Safety
    /// The value is known where the builder is, in a block of the copy.
    unsafe fn again(&self, builder: LLVMBuilderRef, value: LLVMValueRef) -> Option<LLVMValueRef> {
        // SAFETY: the caller guarantees it. The operands are known where their result is.
        unsafe {
            if !self.is_again(value) {
                return None;
            }
            let operands = [0, 1].map(|it| LLVMGetOperand(value, it));
            let operands = if LLVMIsAICmpInst(value).is_null() {
                [hidden(builder, operands[0]), None]
            } else {
                operands.map(|it| self.again(builder, it))
            };
            let again = LLVMInstructionClone(value);
            for (index, operand) in (0..).zip(operands) {
                if let Some(operand) = operand {
                    LLVMSetOperand(again, index, operand);
                }
            }
            LLVMInsertIntoBuilder(builder, again);
            Some(again)
        }
    }

    /// Tells the blocks after the loop what comes from the copy of a block.
    ///
    /// # Safety
    /// All blocks of the loop have been copied, and values of the loop are used outside by phis
    /// alone.
    unsafe fn exits(&self, block: LLVMBasicBlockRef) {
        // SAFETY: the exit's phis have an entry for the block, and get one for its copy.
        unsafe {
            let last = LLVMGetBasicBlockTerminator(block);
            for index in 0..LLVMGetNumSuccessors(last) {
                let exit = LLVMGetSuccessor(last, index);
                if self.blocks.contains_key(&exit) {
                    continue;
                }
                let mut at = LLVMGetFirstInstruction(exit);
                while LLVMGetInstructionOpcode(at) == LLVMOpcode::LLVMPHI {
                    for incoming in 0..LLVMCountIncoming(at) {
                        if LLVMGetIncomingBlock(at, incoming) == block {
                            let mut value = self.value(LLVMGetIncomingValue(at, incoming));
                            let mut from = self.block(block);
                            LLVMAddIncoming(at, &mut value, &mut from, 1);
                            break;
                        }
                    }
                    at = LLVMGetNextInstruction(at);
                }
            }
        }
    }
}

/// Says that a branch hardly ever takes its first way. LLVM then puts that one behind all others,
/// so that ptxas sees the branches of the region as ones that meet: transpose_padded has four loads
/// under way in place of three.
///
/// # Safety
/// The branch is a conditional one of this live context.
unsafe fn hardly_ever(context: LLVMContextRef, branch: LLVMValueRef) {
    const KIND: &CStr = c"prof";
    const WEIGHTS: &CStr = c"branch_weights";
    // SAFETY: the caller guarantees it. The names have these lengths.
    unsafe {
        let kind = LLVMGetMDKindIDInContext(context, KIND.as_ptr(), KIND.count_bytes() as u32);
        let name = LLVMMDStringInContext2(context, WEIGHTS.as_ptr(), WEIGHTS.count_bytes());
        let number = |it| LLVMValueAsMetadata(LLVMConstInt(LLVMInt32TypeInContext(context), it, 0));
        let mut node = [name, number(1), number(2000)];
        let node = LLVMMDNodeInContext2(context, node.as_mut_ptr(), node.len());
        LLVMSetMetadata(branch, kind, LLVMMetadataAsValue(context, node));
    }
}

/// A copy of a number of 32 or 64 bits that the passes that follow do not see through.
///
/// # Safety
/// The number is known where the builder is.
pub(super) unsafe fn hidden(builder: LLVMBuilderRef, number: LLVMValueRef) -> Option<LLVMValueRef> {
    // SAFETY: the caller guarantees it. The assembly gives its operand.
    unsafe {
        let context = LLVMGetBuilderContext(builder);
        let mut ty = LLVMTypeOf(number);
        let (text, operands) = if ty == LLVMInt64TypeInContext(context) {
            ("mov.b64 $0, $1;", "=l,l")
        } else if ty == LLVMInt32TypeInContext(context) {
            ("mov.b32 $0, $1;", "=r,r")
        } else {
            return None;
        };
        let signature = LLVMFunctionType(ty, &mut ty, 1, 0);
        let assembly = LLVMGetInlineAsm(
            signature,
            text.as_ptr().cast(),
            text.len(),
            operands.as_ptr().cast(),
            operands.len(),
            0,
            0,
            LLVMInlineAsmDialect::LLVMInlineAsmDialectATT,
            0,
        );
        let mut argument = number;
        let name = c"".as_ptr();
        Some(LLVMBuildCall2(
            builder,
            signature,
            assembly,
            &mut argument,
            1,
            name,
        ))
    }
}
