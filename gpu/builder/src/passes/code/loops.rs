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

use inkwell::basic_block::BasicBlock;
use inkwell::llvm_sys::LLVMOpcode;
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::LLVMValueRef;
use inkwell::module::Module;
use inkwell::targets::TargetMachine;
use inkwell::values::{AsValueRef, InstructionOpcode};

use super::counters;
use crate::error::CodegenError;
use crate::llvm;
use crate::passes::{Options, by_name};

/// `lcssa` and `loop-simplify` give loops the form that the other passes require. The passes at the
/// end remove what these leave.
const STEP_THEN_COPY: &str = "function(adce,loop-simplify,lcssa,loop(loop-reduce),loop-unroll<O3;runtime>,instcombine<no-verify-fixpoint>,simplifycfg)";

/// Reduces the arithmetic of loops, then copies their bodies. It must run after O3.
pub(crate) fn run(
    module: &Module<'_>,
    options: &Options,
    machine: &TargetMachine,
) -> Result<(), CodegenError> {
    drop_assumptions(module);
    widen_conditions(module);
    by_name(module, STEP_THEN_COPY, "loops", options, machine)?;
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
