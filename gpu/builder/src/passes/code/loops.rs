//! Reduces addresses in loops to steps, each from the address before it, as nvcc does.
//!
//! By default, LLVM's O3 copies a loop's body (four times, with the rest in a loop of its own) and
//! reduces the index arithmetic of the copies later, in code generation. If an address moves by a
//! stride that is known only at launch, as in a column of a matrix, every multiple of the stride
//! stays in a pair of registers. ptxas then has too few registers, and waits for early loads before
//! it has issued the late ones. This pass uses the opposite order. It first reduces the arithmetic
//! to a pointer and its step, and then copies the body, so that each address is the previous one
//! plus the step.
//!
//! For this, options of the library (`llvm::OPTIONS`) switch off LLVM's own copying and reducing.
//! Source: LLVM, "LLVM's Analysis and Transform Passes": `loop-reduce`, `loop-unroll`.

use std::ffi::CStr;

use inkwell::basic_block::BasicBlock;
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::debuginfo::{LLVMMetadataReplaceAllUsesWith, LLVMTemporaryMDNode};
use inkwell::llvm_sys::prelude::{LLVMContextRef, LLVMValueRef};
use inkwell::llvm_sys::{LLVMIntPredicate, LLVMOpcode};
use inkwell::module::Module;
use inkwell::targets::TargetMachine;
use inkwell::values::{AsValueRef, InstructionOpcode};

use super::counters;
use crate::error::CodegenError;
use crate::llvm::{self, Flow, Loop};
use crate::passes::{Options, by_name};

/// `lcssa` and `loop-simplify` give loops the form that the other passes require.
const STEP: &str = "function(adce,loop-simplify,lcssa,loop(loop-reduce))";
/// The passes at the end remove what the others leave.
const COPY: &str = "function(loop-unroll<O3;runtime>,instcombine<no-verify-fixpoint>,simplifycfg)";

/// How often a small body is copied if its addresses move by a stride that is known only at launch.
/// LLVM copies it eight times, and then each copy needs a pair of registers for each address,
/// because the distance is no constant of the instruction. On an H200 (driver 580.159.04,
/// 2026-11-27), four copies in place of eight take the layer norms with a row a block from 1.11 and
/// 1.44 times nvcc's time to 0.98 and 1.07, and a sum of rows from 0.49 to 0.42. A row a warp, with
/// its constant stride, is 4 % slower with four.
const COPIES_WITH_STRIDE: u32 = 4;
/// The most instructions of such a body: more are copied four times at most (`llvm::OPTIONS`).
const SMALL: usize = 40;

/// Reduces the arithmetic of loops, then copies their bodies. It must run after O3.
pub(crate) fn run(
    module: &Module<'_>,
    options: &Options,
    machine: &TargetMachine,
) -> Result<(), CodegenError> {
    drop_assumptions(module);
    widen_conditions(module);
    by_name(module, STEP, "loops", options, machine)?;
    limit_copies(module);
    by_name(module, COPY, "loops", options, machine)?;
    let_ptxas_copy(module);
    counters::narrow(module);
    by_name(module, "function(adce)", "loops", options, machine)
}

/// Removes the assumptions that rustc emits, mostly about indices. O3 has already used them. From
/// here on they would only keep an index alive beside the pointer.
fn drop_assumptions(module: &Module<'_>) {
    let instructions: Vec<_> = module
        .get_functions()
        .flat_map(llvm::instructions)
        .filter(|at| llvm::callee_name(*at).is_some_and(|name| name == "llvm.assume"))
        .collect();
    for assumption in instructions {
        assumption.erase_from_basic_block();
    }
}

/// Compares numbers of 32 bits as the loop does that the comparison leads to: `for k in a as
/// usize..b as usize` runs if `a < b`, and LLVM compares the narrow numbers. The loop counts from
/// the wide ones, and LLVM then does not see that it runs at least once.
fn widen_conditions(module: &Module<'_>) {
    for at in module.get_functions().flat_map(llvm::instructions) {
        // SAFETY: a comparison has two operands, and takes two of another type. The conversions
        // are put before it, and read what it reads.
        unsafe {
            let comparison = at.as_value_ref();
            if at.get_opcode() != InstructionOpcode::ICmp {
                continue;
            }
            let operands = [0, 1].map(|it| LLVMGetOperand(comparison, it));
            if !operands.iter().all(|it| is_also_wide(*it)) {
                continue;
            }
            let context = LLVMGetTypeContext(LLVMTypeOf(comparison));
            let builder = LLVMCreateBuilderInContext(context);
            LLVMPositionBuilderBefore(builder, comparison);
            let wide = LLVMInt64TypeInContext(context);
            for (index, operand) in (0..).zip(operands) {
                let operand = LLVMBuildSExt(builder, operand, wide, c"".as_ptr());
                LLVMSetOperand(comparison, index, operand);
            }
            LLVMDisposeBuilder(builder);
        }
    }
}

/// Returns whether a number of 32 bits is used as a signed one of 64 bits.
///
/// # Safety
/// The value is one of a live module.
unsafe fn is_also_wide(number: LLVMValueRef) -> bool {
    // SAFETY: the caller guarantees it. Users of an instruction are instructions.
    unsafe {
        let context = LLVMGetTypeContext(LLVMTypeOf(number));
        let is_wide = |user: LLVMValueRef| {
            LLVMGetInstructionOpcode(user) == LLVMOpcode::LLVMSExt
                && LLVMTypeOf(user) == LLVMInt64TypeInContext(context)
        };
        LLVMTypeOf(number) == LLVMInt32TypeInContext(context)
            && !LLVMIsAInstruction(number).is_null()
            && llvm::users(number).into_iter().any(is_wide)
    }
}

/// Has small bodies copied less often if their addresses move by a stride. LLVM would copy none of
/// the loops without a counter or with several ways out, and would do so if it were told a number.
fn limit_copies(module: &Module<'_>) {
    for function in module.get_functions() {
        if function.count_basic_blocks() < 2 {
            continue;
        }
        let flow = Flow::of(function);
        for of in flow.innermost_loops() {
            let is_small = flow.instructions(&of).count() <= SMALL;
            let ways = of.blocks.iter().flat_map(|it| &flow.successors[*it]);
            let ways_out = ways.filter(|it| !of.blocks.contains(it)).count();
            if is_small && ways_out == 1 && has_stride(&flow, &of) && has_counter(&flow, &of) {
                // SAFETY: a loop's latch ends in a branch.
                unsafe {
                    let branch = LLVMGetBasicBlockTerminator(flow.blocks[of.latch]);
                    set_copies(branch, COPIES_WITH_STRIDE);
                }
            }
        }
    }
}

/// Returns whether the addresses of the loop, or a distance from them, grow by a number that is
/// computed before the loop. If one address grows by a constant, so that it needs no registers,
/// there are enough for more copies: `matmul_naive` is 3 % slower with four.
fn has_stride(flow: &Flow, of: &Loop) -> bool {
    let inside = |it| of.blocks.iter().any(|block| flow.blocks[*block] == it);
    let mut has_stride = false;
    for phi in flow.instructions_of(of.header) {
        let Some((_, next)) = entries(flow, of, phi) else {
            continue;
        };
        // SAFETY: a sum, and an address computed by one number, have two operands.
        unsafe {
            let opcode = (!LLVMIsAInstruction(next).is_null())
                .then(|| LLVMGetInstructionOpcode(next))
                .filter(|_| LLVMGetNumOperands(next) == 2 && LLVMGetOperand(next, 0) == phi);
            let is_address = opcode == Some(LLVMOpcode::LLVMGetElementPtr);
            if !is_address && opcode != Some(LLVMOpcode::LLVMAdd) {
                continue;
            }
            let step = LLVMGetOperand(next, 1);
            if is_address && llvm::integer(step).is_some() {
                return false;
            }
            has_stride |= !LLVMIsAArgument(step).is_null()
                || !LLVMIsAInstruction(step).is_null() && !inside(LLVMGetInstructionParent(step));
        }
    }
    has_stride
}

/// Returns whether the loop ends where a number that grows by a constant is equal to another, and
/// how often it runs is not known.
fn has_counter(flow: &Flow, of: &Loop) -> bool {
    // SAFETY: the condition is checked to be a comparison, and the sum to be one, of two operands.
    unsafe {
        let branch = LLVMGetBasicBlockTerminator(flow.blocks[of.latch]);
        if LLVMGetNumSuccessors(branch) != 2 {
            return false;
        }
        let comparison = LLVMGetCondition(branch);
        let kind = loop_metadata(LLVMGetTypeContext(LLVMTypeOf(comparison)));
        let is_comparison = LLVMGetMetadata(branch, kind).is_null()
            && !LLVMIsAICmpInst(comparison).is_null()
            && matches!(
                LLVMGetICmpPredicate(comparison),
                LLVMIntPredicate::LLVMIntEQ | LLVMIntPredicate::LLVMIntNE
            );
        if !is_comparison {
            return false;
        }
        let (next, end) = (LLVMGetOperand(comparison, 0), LLVMGetOperand(comparison, 1));
        let is_sum = !LLVMIsABinaryOperator(next).is_null()
            && LLVMGetInstructionOpcode(next) == LLVMOpcode::LLVMAdd
            && llvm::integer(LLVMGetOperand(next, 1)).is_some();
        let start = is_sum.then(|| entries(flow, of, LLVMGetOperand(next, 0)));
        let is_known = |it| llvm::integer(it).is_some();
        let start = start.flatten().filter(|(_, again)| *again == next);
        start.is_some_and(|(start, _)| !is_known(start) || !is_known(end))
    }
}

/// What a phi of the loop's header has in the first iteration, and in the others.
fn entries(flow: &Flow, of: &Loop, phi: LLVMValueRef) -> Option<(LLVMValueRef, LLVMValueRef)> {
    // SAFETY: the value is checked to be a phi of the header, which has two entries.
    unsafe {
        if LLVMIsAPHINode(phi).is_null()
            || LLVMGetInstructionParent(phi) != flow.blocks[of.header]
            || LLVMCountIncoming(phi) != 2
        {
            return None;
        }
        let preheader = flow.blocks[of.preheader];
        let first = u32::from(LLVMGetIncomingBlock(phi, 0) != preheader);
        let values = [first, 1 - first].map(|it| LLVMGetIncomingValue(phi, it));
        Some((values[0], values[1]))
    }
}

/// Tells LLVM how often to copy the body of the loop that a branch closes.
///
/// # Safety
/// The branch is one of a live function.
pub(super) unsafe fn set_copies(branch: LLVMValueRef, copies: u32) {
    const KEY: &CStr = c"llvm.loop.unroll.count";
    // SAFETY: the caller guarantees it. A loop's node refers to itself, so its first operand is a
    // node that it takes the place of, which is freed by that.
    unsafe {
        let context = LLVMGetTypeContext(LLVMTypeOf(LLVMBasicBlockAsValue(
            LLVMGetInstructionParent(branch),
        )));
        let key = LLVMMDStringInContext2(context, KEY.as_ptr(), KEY.count_bytes());
        let count = LLVMConstInt(LLVMInt32TypeInContext(context), copies.into(), 0);
        let mut pair = [key, LLVMValueAsMetadata(count)];
        let pair = LLVMMDNodeInContext2(context, pair.as_mut_ptr(), 2);
        let itself = LLVMTemporaryMDNode(context, std::ptr::null_mut(), 0);
        let mut operands = [itself, pair];
        let node = LLVMMDNodeInContext2(context, operands.as_mut_ptr(), 2);
        LLVMMetadataReplaceAllUsesWith(itself, node);
        LLVMSetMetadata(
            branch,
            loop_metadata(context),
            LLVMMetadataAsValue(context, node),
        );
    }
}

/// The kind of metadata that a loop's last branch has.
///
/// # Safety
/// The context is live.
unsafe fn loop_metadata(context: LLVMContextRef) -> u32 {
    const NAME: &CStr = c"llvm.loop";
    // SAFETY: the caller guarantees it. The name has this length.
    unsafe { LLVMGetMDKindIDInContext(context, NAME.as_ptr(), NAME.count_bytes() as u32) }
}

/// Lets ptxas copy bodies again that were copied as often as a pass asked for: LLVM forbids it for
/// these, and for the loops over the rest of the iterations, which have few.
fn let_ptxas_copy(module: &Module<'_>) {
    let is_rest = |block: BasicBlock<'_>| {
        let name = block.get_name().to_string_lossy();
        [".epil", ".prol"].iter().any(|it| name.contains(it))
    };
    let kind = module.get_context().get_kind_id("llvm.loop");
    for block in module.get_functions().flat_map(|it| it.get_basic_blocks()) {
        if let Some(branch) = block.get_terminator().filter(|_| !is_rest(block)) {
            // SAFETY: the instruction is live, and a branch needs no metadata.
            unsafe { LLVMSetMetadata(branch.as_value_ref(), kind, std::ptr::null_mut()) };
        }
    }
}
